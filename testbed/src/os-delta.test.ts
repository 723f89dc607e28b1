import { createHash, randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import * as fc from 'fast-check'
import { ZipFile } from 'yazl'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applyDelta } from '@mdm/agent/body/os-delta.ts'
import { osSlots } from '@mdm/agent/body/os-slots.ts'
import type { Deps } from '@mdm/server/deps.ts'
import { deltaInProcess } from '@mdm/server/workers/delta.ts'
import { zipOf } from '@mdm/server/testing/zip.ts'

type Tree = Record<string, Buffer>

/** All that making one asks for; it is done in a process of its own, as on a server. */
const told: object[] = []
const deps = { log: { warn: (said: object) => told.push(said) } } as unknown as Deps

let root: string
let number = 0
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'os-delta-'))
})
afterAll(() => rm(root, { recursive: true, force: true }))

function zipped(tree: Tree, folders: string[] = []): Promise<Buffer> {
  const zip = new ZipFile()
  for (const path of folders) zip.addEmptyDirectory(`DOWNLOAD/${path}`)
  for (const [path, content] of Object.entries(tree)) zip.addBuffer(content, `DOWNLOAD/${path}`)
  zip.end()
  return buffer(zip.outputStream)
}

async function write(folder: string, tree: Tree): Promise<void> {
  for (const [path, content] of Object.entries(tree)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
}

async function read(folder: string): Promise<Tree> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name))
  return Object.fromEntries(
    await Promise.all(files.map(async (path) => [path.slice(folder.length + 1), await readFile(path)] as const)),
  )
}

/** The difference from one tree to the other, made by the server. */
async function difference(from: Buffer, to: Buffer) {
  const dir = join(root, String((number += 1)))
  const work = join(dir, 'work')
  await mkdir(work, { recursive: true })
  await writeFile(join(dir, 'from.zip'), from)
  await writeFile(join(dir, 'to.zip'), to)
  const out = join(dir, 'out.zip')
  const seen: number[] = []
  const facts = await deltaInProcess(deps, {
    from: join(dir, 'from.zip'),
    to: join(dir, 'to.zip'),
    folder: work,
    out,
    bytes: from.length + to.length,
    signal: new AbortController().signal,
    on_progress: (percent) => void seen.push(percent),
  })
  return { dir, out, facts, seen, bytes: await readFile(out) }
}

/** What a device makes of it. */
async function applied(dir: string, out: string, running: Tree): Promise<Tree> {
  const [from, to] = [join(dir, 'a'), join(dir, 'b')]
  await mkdir(from)
  await mkdir(to)
  await write(from, running)
  await applyDelta({ path: out, from, to, signal: new AbortController().signal })
  return read(to)
}

const build = (ver: number) => ({ uid: 'U', os_version: `1.0.${ver}`, version_code: ver, ver })
const digests = (tree: Tree) =>
  Object.fromEntries(
    Object.entries(tree)
      .map(([path, content]) => [path, createHash('sha256').update(content).digest('hex')] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )

const step = fc.constantFrom('etc', 'lib', 'données', 'hệ thống', '系统', 'a b', 'x')
const leaf = fc.constantFrom('core.so', 'boot.img', 'tệp', '文件', 'é', 'empty', 'os.json', 'n')
const path = fc
  .tuple(fc.array(step, { maxLength: 3 }), leaf)
  .map(([steps, name]) => [...steps, `${name}.f`].join('/').replace('os.json.f', 'os.json'))
const content = fc.oneof(
  fc.constant(Buffer.alloc(0)),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  // What a dictionary of zstd begins with.
  fc.uint8Array({ minLength: 8, maxLength: 60 }).map((bytes) => Buffer.concat([Buffer.from('37a430ec', 'hex'), bytes])),
  fc
    .tuple(fc.uint8Array({ minLength: 1, maxLength: 30 }), fc.nat({ max: 400 }))
    .map(([bytes, times]) => Buffer.concat(Array.from({ length: times }, () => Buffer.from(bytes)))),
)
const tree = fc.dictionary(path, content, { minKeys: 1, maxKeys: 12 })
/** Another tree, of which some is as it was, changed, moved or gone. */
const pair = fc
  .tuple(tree, tree, fc.array(fc.tuple(fc.nat(), fc.constantFrom('keep', 'edit', 'move'), path)))
  .map(([from, fresh, edits]): [Tree, Tree] => {
    const to: Tree = { ...fresh }
    const names = Object.keys(from)
    for (const [at, what, other] of edits) {
      const name = names[at % names.length]!
      const old = from[name]!
      if (what === 'keep') to[name] = old
      else if (what === 'move') to[other] = old
      else to[name] = Buffer.concat([old.subarray(0, old.length >> 1), Buffer.from('!'), old.subarray(old.length >> 1)])
    }
    return [from, to]
  })

describe('a difference that the server made', () => {
  it('makes every file of the new version from the old one, byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(pair, async ([from, to]) => {
        const { dir, out } = await difference(await zipped(from), await zipped(to))
        // Its own os.json is another than the package's.
        const running = { ...from, 'os.json': Buffer.from('{}') }
        expect(digests(await applied(dir, out, running))).toEqual(digests(to))
        await rm(dir, { recursive: true })
      }),
      { numRuns: 20 },
    )
  }, 300_000)

  it('is small where little changed, and tells how far it is', async () => {
    const large = randomBytes(2 * 1024 ** 2)
    const changed = Buffer.concat([large.subarray(0, 900_000), randomBytes(5_000), large.subarray(900_000)])
    const kept = randomBytes(300_000)
    const from = {
      'system.img': large,
      'vendor/1.0/kept.img': kept,
      'gone.img': randomBytes(1000),
      empty: Buffer.alloc(0),
    }
    const to = {
      'system.img': changed,
      'vendor/1.1/kept.img': kept,
      'new.img': randomBytes(2000),
      empty: Buffer.alloc(0),
    }
    const zips = [await zipped(from), await zipped(to, ['only/folders'])] as const
    const { dir, out, facts, seen, bytes } = await difference(...zips)
    expect(facts).toMatchObject({ files: 4, same: 2 })
    expect(bytes.length).toBeLessThan(20_000)
    expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    expect(seen.at(-1)).toBe(99)
    expect(digests(await applied(dir, out, from))).toEqual(digests(to))
    expect(await readdir(join(dir, 'b', 'only'))).toEqual(['folders'])
  })

  it('brings devices of three older versions to the same system, each by its own', async () => {
    const image = randomBytes(400_000)
    const target = { 'system.img': Buffer.concat([image, Buffer.from('3')]), 'etc/new': Buffer.from('n') }
    const older: Tree[] = [
      { 'system.img': image, 'etc/old': Buffer.from('o') },
      { 'system.img': Buffer.concat([Buffer.from('2'), image]), 'etc/new': Buffer.from('n') },
      { 'moved/system.img': image, empty: Buffer.alloc(0) },
    ]
    const full = await zipped(target)
    for (const [at, running] of older.entries()) {
      const from_zip = await zipped(running)
      const { dir, bytes } = await difference(from_zip, full)
      // The same packages make the same bytes.
      if (at === 0) expect((await difference(from_zip, full)).bytes.equals(bytes)).toBe(true)
      expect(bytes.length).toBeLessThan(full.length / 100)
      await write(join(dir, 'a'), { ...running, 'os.json': Buffer.from(JSON.stringify(build(at + 1))) })
      await write(dir, { 'packages/p.zip': bytes })
      const slots = (await osSlots(
        dir,
        () => new Date(),
        async () => 'boot',
      ))!
      const file = { name: 'p.zip', size: bytes.length, md5: '', sha256: '' }
      const manifest = {
        format: 'mdm-os-1' as const,
        from_uids: ['U'],
        ...build(9),
        packages: [{ ...file, from: null }],
      }
      const { uid: _uid, ...from } = build(at + 1)
      const of = {
        id: 't',
        manifest,
        part: { ...file, from, is_delta: true },
        place: '/packages/p.zip',
        confirm_seconds: 60,
      }
      await slots.write(of, new AbortController().signal)
      const { 'os.json': own, ...written } = await read(join(dir, 'b'))
      expect(JSON.parse(String(own))).toEqual(build(9))
      expect(digests(written)).toEqual(digests(target))
    }
  })

  it('is not made of what a device would take for its own, nor of what is no package', async () => {
    const failed = { refusal: 'os_delta_failed' }
    const good = await zipped({ a: Buffer.from('a') })
    for (const path of ['.removed', '.delta/index.json', '.delta'])
      await expect(difference(good, await zipped({ [path]: Buffer.from('x') }))).rejects.toMatchObject(failed)
    for (const bad of [Buffer.from('no zip'), await zipped({}, ['x']), await zipOf([['other/a', 'x']])])
      await expect(difference(good, bad)).rejects.toMatchObject(failed)
    expect(told.map((one) => (one as { kind: string }).kind)).toEqual(Array(6).fill('invalid'))
  })
})
