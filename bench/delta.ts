import { execFileSync } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import { osSlots } from '../apps/agent/src/body/os-slots.ts'
import type { Deps } from '../apps/server/src/deps.ts'
import { deltaInProcess } from '../apps/server/src/workers/delta.ts'
import { against, row, sampleOf } from './measure.ts'
import type { Row } from './measure.ts'

/** Two of them in different builds; what else a machine offers changes with its distribution. */
const kernels = /^linux-image-[\d.]+-\d+-cloud-amd64$/
const compiler = ['typescript@5.8.3', 'typescript@5.9.2']
const build = (ver: number) => ({ uid: 'BENCH', os_version: `1.0.${ver}`, version_code: ver, ver })

/** Differences between two real systems: how large beside the full package, and how long a device takes to write a slot from them. */
export async function run(log: (text: string) => void): Promise<Row[]> {
  const root = await mkdtemp(join(tmpdir(), 'bench-delta-'))
  try {
    const { what, trees } = systems(root)
    log(`${what}: unpacked`)
    const [old, target] = trees
    const files = await filesOf(target)
    const half = files.filter((_, at) => at % 2 === 0)
    // Three versions that devices run: the old system, the old one with one large file of the new, and half of each.
    const largest = (
      await Promise.all(files.map(async (path) => ({ path, size: (await stat(join(target, path))).size })))
    )
      .toSorted((a, b) => b.size - a.size)
      .slice(0, 1)
      .map(({ path }) => path)
    const older = [old, await mixed(root, 'one', old, target, largest), await mixed(root, 'half', old, target, half)]
    const full = join(root, 'full.zip')
    await zipped(target, full)
    const full_bytes = (await stat(full)).size
    const full_ms = await written(root, 0, old, full, false)
    const sizes: number[] = []
    const times: number[] = []
    const notes = [`${what}, ${files.length} files; full package ${mib(full_bytes)} written in ${full_ms} ms`]
    for (const [at, from] of older.entries()) {
      const from_zip = join(root, `from-${at}.zip`)
      const out = join(root, `delta-${at}.zip`)
      await zipped(from, from_zip)
      await mkdir(join(root, `work-${at}`))
      const began = performance.now()
      const { same } = await deltaInProcess(deps, {
        from: from_zip,
        to: full,
        folder: join(root, `work-${at}`),
        out,
        bytes: full_bytes * 2,
        on_progress: () => {},
        signal: new AbortController().signal,
      })
      const made = (performance.now() - began) / 1_000
      const { size } = await stat(out)
      const ms = await written(root, at + 1, from, out, true)
      sizes.push(size / full_bytes)
      times.push(ms / full_ms)
      notes.push(
        `from version ${at + 1}: ${mib(size)}, ${same} files as they are, made in ${made.toFixed(1)} s, applied in ${ms} ms`,
      )
      log(notes.at(-1)!)
    }
    return [
      row(
        'delta',
        'bytes of the difference / full package',
        against(sizes.map(sampleOf), 1),
        '<= 0.6',
        (r) => r.max <= 0.6,
        notes,
      ),
      row('delta', 'time to write a slot / full package', against(times.map(sampleOf), 1), '<= 3', (r) => r.max <= 3),
    ]
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

const deps = { log: { warn: (told: object) => console.error(told) } } as unknown as Deps
const mib = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(1)} MiB`

/** Two builds of a Debian kernel, else two releases of a package. */
function systems(root: string): { what: string; trees: [string, string] } {
  try {
    const names = execFileSync('apt-cache', ['pkgnames', 'linux-image-'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const found = names
      .split('\n')
      .filter((name) => kernels.test(name))
      .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    const two = found.slice(-2)
    if (two.length < 2) throw new Error('one build only')
    execFileSync('apt-get', ['download', ...two], { cwd: root, stdio: 'ignore' })
    const trees = two.map((name, at) => unpacked(root, name, at)) as [string, string]
    return { what: two.join(' to '), trees }
  } catch {
    for (const name of compiler) execFileSync('npm', ['pack', name], { cwd: root, stdio: 'ignore' })
    const trees = compiler.map((name, at) => {
      const into = join(root, `tree-${at}`)
      execFileSync('mkdir', [into])
      execFileSync('tar', ['-xzf', join(root, `${name.replace('@', '-')}.tgz`), '-C', into])
      return into
    }) as [string, string]
    return { what: compiler.join(' to '), trees }
  }
}

function unpacked(root: string, name: string, at: number): string {
  const into = join(root, `tree-${at}`)
  const file = execFileSync('sh', ['-c', `ls "${root}"/${name}_*.deb`], { encoding: 'utf8' }).trim()
  execFileSync('dpkg-deb', ['-x', file, into])
  return into
}

/** Of names that differ in their case alone the first: a package has no two such. */
async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const seen = new Set<string>()
  return entries
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name).slice(folder.length + 1))
    .toSorted()
    .filter((path) => !seen.has(path.toLowerCase()) && seen.add(path.toLowerCase()))
}

/** The old system with some files of the new, in place of those of their name. */
async function mixed(root: string, name: string, old: string, target: string, some: string[]): Promise<string> {
  const folder = join(root, name)
  await cp(old, folder, { recursive: true })
  const by_name = new Map((await filesOf(old)).map((path) => [basename(path), path]))
  for (const path of some) {
    const there = by_name.get(basename(path)) ?? path
    await cp(join(target, path), join(folder, there))
  }
  return folder
}

async function zipped(folder: string, path: string): Promise<void> {
  const zip = new ZipFile()
  for (const name of await filesOf(folder)) zip.addFile(join(folder, name), `DOWNLOAD/${name}`)
  zip.end()
  await pipeline(zip.outputStream, createWriteStream(path))
}

/** How long a device takes to write its other slot from a package, in milliseconds. */
async function written(
  root: string,
  number: number,
  running: string,
  path: string,
  is_delta: boolean,
): Promise<number> {
  const dir = join(root, `device-${number}`)
  await mkdir(join(dir, 'packages'), { recursive: true })
  await mkdir(join(dir, 'a'))
  for (const name of await filesOf(running)) await cp(join(running, name), join(dir, 'a', name))
  await writeFile(join(dir, 'a', 'os.json'), JSON.stringify(build(1)))
  await cp(path, join(dir, 'packages', 'package.zip'))
  const slots = (await osSlots(
    dir,
    () => new Date(),
    async () => 'boot',
  ))!
  const file = { name: 'package.zip', size: 1, md5: '', sha256: '' }
  const { os_version, version_code, ver } = build(1)
  const from = is_delta ? { os_version, version_code, ver } : null
  const manifest = {
    format: 'mdm-os-1' as const,
    from_uids: ['BENCH'],
    ...build(2),
    packages: [{ ...file, from: null }],
  }
  const part = { ...file, from, is_delta }
  const began = performance.now()
  await slots.write(
    { id: '1', manifest, part, place: '/packages/package.zip', confirm_seconds: 60 },
    new AbortController().signal,
  )
  const ms = Math.round(performance.now() - began)
  await rm(dir, { recursive: true, force: true })
  return ms
}
