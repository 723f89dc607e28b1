import { execFileSync, spawnSync } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { blockIds, der, onDisk, opened, pkcs7, realApk, signature, signingBlock, u32, zip } from '../../testing/apk.ts'
import type { BlockPart, TestEntry } from '../../testing/apk.ts'
import { ApkError, readSigner } from './signer.ts'
import { inMemory } from './source.ts'

let real: Buffer
/** The one in the real APK, and two that differ from it in their serial number. */
let certificate: Buffer
let others: [Buffer, Buffer]
let folder: string
beforeAll(async () => {
  real = await readFile(realApk)
  certificate = (await readSigner(inMemory(real))).certificate
  others = [reserialised(certificate, 1), reserialised(certificate, 2)]
  folder = await mkdtemp(join(tmpdir(), 'mdm-apk-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

function reserialised(original: Buffer, by: number): Buffer {
  const changed = Buffer.from(original)
  const { serial } = serialAndIssuer(original)
  changed[serial.end - 1]! ^= by
  return changed
}
/** Where they stand in the certificate: tbs, version unless it is the first, serial, algorithm, issuer. */
function serialAndIssuer(bytes: Buffer) {
  const tbs = opened(bytes, opened(bytes, 0).start)
  const serial_at = bytes[tbs.start] === 0xa0 ? opened(bytes, tbs.start).end : tbs.start
  const serial = opened(bytes, serial_at)
  const algorithm = opened(bytes, serial.end)
  const issuer = opened(bytes, algorithm.end)
  const whole = (start: number, end: number) => bytes.subarray(start, end)
  return {
    serial: { bytes: whole(serial_at, serial.end), end: serial.end },
    issuer: whole(algorithm.end, issuer.end),
  }
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const manifest: TestEntry = { name: 'AndroidManifest.xml', content: Buffer.from('<manifest/>'.repeat(20)) }
const signed = (...parts: BlockPart[]) => zip({ entries: [manifest], block: signingBlock(parts) })
const signerOf = (bytes: Buffer) => readSigner(inMemory(bytes))
/** Why it was refused; a signer when it was not. */
const reasonOf = (bytes: Buffer): Promise<unknown> =>
  signerOf(bytes).then(
    (signer) => signer,
    (error: unknown) => (error instanceof ApkError ? error.reason : Promise.reject(error)),
  )

const apksigner_missing = spawnSync('apksigner', ['--version']).status !== 0 && 'apksigner is not installed'

describe('the signer of a real APK', () => {
  it('is the certificate that the developers publish, whole', async () => {
    const signer = await signerOf(real)
    expect(signer.scheme).toBe('v2')
    const parsed = new X509Certificate(signer.certificate)
    expect(parsed.raw.equals(signer.certificate)).toBe(true)
    expect(parsed.fingerprint256.replaceAll(':', '').toLowerCase()).toBe(sha256(signer.certificate))
    expect(real.includes(signer.certificate)).toBe(true)
  })

  it.skipIf(apksigner_missing)('is the one that apksigner prints', async () => {
    const said = execFileSync('apksigner', ['verify', '--print-certs', realApk], { encoding: 'utf8' })
    const { certificate: read } = await signerOf(real)
    expect(said).toContain(`certificate SHA-256 digest: ${sha256(read)}`)
    expect(said).toContain(`certificate SHA-1 digest: ${createHash('sha1').update(read).digest('hex')}`)
  })

  it('is read from a file of which only parts are', async () => {
    const file = await onDisk(realApk)
    let read = 0
    const counted = {
      size: file.size,
      read: (start: number, length: number) => ((read += length), file.read(start, length)),
    }
    expect((await readSigner(counted)).certificate.equals(certificate)).toBe(true)
    expect(read).toBeLessThan(file.size / 2)
    await file.close()
  })
})

describe('of several schemes', () => {
  it('the newest counts, in whatever order they stand', async () => {
    const [second, third] = others
    const v2: BlockPart = [blockIds.v2, signature(certificate)]
    const v3: BlockPart = [blockIds.v3, signature(second)]
    const newest: BlockPart = [blockIds['v3.1'], signature(third)]
    const padding: BlockPart = [blockIds.padding, Buffer.alloc(4000)]
    expect(await signerOf(signed(v2, padding))).toEqual({ scheme: 'v2', certificate, certificates: [certificate] })
    expect(await signerOf(signed(v3, padding, v2))).toEqual({
      scheme: 'v3',
      certificate: second,
      certificates: [second],
    })
    expect(await signerOf(signed(v2, newest, v3))).toEqual({
      scheme: 'v3.1',
      certificate: third,
      certificates: [third],
    })
  })

  it("v1 counts when there is no other; of a chain it is the signer's certificate", async () => {
    const [second] = others
    const { serial, issuer } = serialAndIssuer(second)
    const jar = pkcs7([certificate, second], issuer, serial.bytes)
    const entries = [manifest, { name: 'META-INF/CERT.RSA', content: jar }]
    expect(await signerOf(zip({ entries }))).toEqual({ scheme: 'v1', certificate: second, certificates: [second] })
    const lower = [manifest, { name: 'META-INF/a.ec', content: jar }]
    expect(await signerOf(zip({ entries: lower }))).toMatchObject({ scheme: 'v1' })
    const v2 = signingBlock([[blockIds.v2, signature(certificate)]])
    expect(await signerOf(zip({ entries, block: v2 }))).toMatchObject({ scheme: 'v2' })
    const strangers = pkcs7([certificate], issuer, serial.bytes)
    expect(await reasonOf(zip({ entries: [{ name: 'META-INF/CERT.RSA', content: strangers }] }))).toBe('invalid')
  })

  it('none is unsigned, and a JAR signature elsewhere is none', async () => {
    expect(await reasonOf(zip({ entries: [manifest] }))).toBe('unsigned')
    expect(await reasonOf(signed([blockIds.padding, Buffer.alloc(100)]))).toBe('unsigned')
    expect(await reasonOf(zip({ entries: [{ name: 'META-INF/x/CERT.RSA', content: certificate }] }))).toBe('unsigned')
  })
})

test('no cut of an APK is taken for one, and none breaks the reader', async () => {
  const whole = signed([blockIds.v2, signature(certificate)], [blockIds.v3, signature(others[0])])
  for (let length = 0; length < whole.length; length++)
    expect([length, await reasonOf(whole.subarray(0, length))]).toEqual([length, 'invalid'])
})

test('a signing block that lies about a length is refused, wherever it does', async () => {
  const value = signature(certificate)
  const start = zip({ entries: [manifest] }).indexOf(u32(0x02014b50))
  const whole = signed([blockIds.v2, value])
  const end = start + signingBlock([[blockIds.v2, value]]).length
  const lengths = [start, start + 8, ...[0, 4, 8, 12, 16, 20].map((at) => start + 20 + at), end - 24]
  for (const at of lengths)
    for (const lie of [0xffffffff, 0x7fffffff, whole.length, 1]) {
      const lying = Buffer.from(whole)
      lying.writeUInt32LE(lie, at)
      expect([
        at - start,
        lie,
        ['invalid', 'beyond_limits', 'unsigned'].includes(String(await reasonOf(lying))),
      ]).toEqual([at - start, lie, true])
    }
  const huge = 2n ** 63n
  expect(await reasonOf(zip({ entries: [manifest], block: signingBlock([], { last: huge }) }))).toBe('beyond_limits')
  const twice = signed([blockIds.v2, value], [blockIds.v2, signature(others[0])])
  expect(await reasonOf(twice)).toBe('invalid')
  const trailing = signature(Buffer.concat([certificate, Buffer.alloc(3)]))
  expect(await reasonOf(signed([blockIds.v2, trailing]))).toBe('invalid')
  expect(await reasonOf(signed([blockIds.v2, signature(Buffer.alloc(0))]))).toBe('invalid')
})

test('DER that lies is refused', async () => {
  const { serial, issuer } = serialAndIssuer(certificate)
  const jar = pkcs7([certificate], issuer, serial.bytes)
  const kept = (content: Buffer) => zip({ entries: [{ name: 'META-INF/CERT.RSA', content }] })
  expect(await reasonOf(kept(jar))).toMatchObject({ scheme: 'v1' })
  for (let length = 0; length < jar.length; length += 7)
    expect(await reasonOf(kept(jar.subarray(0, length)))).toBe('invalid')
  const nested = Array.from({ length: 2_000 }).reduce<Buffer>((inner) => der(0x30, inner), Buffer.alloc(0))
  const crowded = der(0x30, ...Array.from({ length: 5_000 }, () => der(5)))
  for (const content of [nested, crowded, Buffer.from('3080', 'hex'), Buffer.from('3085ffffffffff', 'hex')])
    expect(await reasonOf(kept(content))).toBe('invalid')
})

describe('what is made to harm', () => {
  const empty = Buffer.alloc(0)
  const many = (count: number): TestEntry[] =>
    Array.from({ length: count }, (_, n) => ({ name: `e${n}`, content: empty }))
  const at_same_place = (count: number) =>
    Array.from({ length: count }, (_, n): TestEntry => ({
      name: `META-INF/${n}.RSA`,
      content: Buffer.from('x'),
      claims: { offset: 0 },
    }))
  const bomb = Buffer.alloc(40_000_000)
  const cases: [what: string, reason: 'invalid' | 'beyond_limits', make: () => Buffer][] = [
    ['100,000 entries', 'beyond_limits', () => zip({ entries: many(100_000) })],
    ['100,000 entries that are counted as few', 'invalid', () => zip({ entries: many(100_000), count: 3 })],
    ['more entries than an application has', 'beyond_limits', () => zip({ entries: many(31_000) })],
    ['a directory of which nobody knows the end', 'invalid', () => zip({ entries: many(3), directory_offset: 7 })],
    ['entries in one another', 'invalid', () => zip({ entries: at_same_place(200) })],
    [
      'an entry that reaches into the signing block',
      'invalid',
      () =>
        zip({
          entries: [{ ...manifest, claims: { compressed: 400 } }],
          block: signingBlock([[blockIds.v2, signature(certificate)]]),
        }),
    ],
    [
      'a bomb',
      'beyond_limits',
      () => zip({ entries: Array.from({ length: 5 }, (_, n) => ({ name: `classes${n}.dex`, content: bomb })) }),
    ],
    ['a bomb for a signature', 'beyond_limits', () => zip({ entries: [{ name: 'META-INF/CERT.RSA', content: bomb }] })],
    [
      'a bomb for a signature that says it is small',
      'invalid',
      () => zip({ entries: [{ name: 'META-INF/CERT.RSA', content: bomb, claims: { uncompressed: 1_000 } }] }),
    ],
    [
      'a signing block of gigabytes',
      'beyond_limits',
      () => zip({ entries: [manifest], block: signingBlock([], { last: 3_000_000_000n }) }),
    ],
  ]

  type Outcome = { reason: string; ms: number; grown: number }
  let outcomes: Outcome[]
  // In a process of its own: what this one holds would hide what the reader takes.
  beforeAll(async () => {
    const paths = cases.map((_, n) => join(folder, `${n}.apk`))
    for (const [n, [, , make]] of cases.entries()) await writeFile(paths[n]!, make())
    const module = (name: string) => JSON.stringify(new URL(name, import.meta.url).href)
    const script = `
      import { onDisk } from ${module('../../testing/apk.ts')}
      import { readSigner } from ${module('./signer.ts')}
      const outcomes = []
      for (const path of ${JSON.stringify(paths)}) {
        const file = await onDisk(path)
        const before = process.memoryUsage().rss
        let most = before
        const look = () => (most = Math.max(most, process.memoryUsage().rss))
        const watch = setInterval(look, 1)
        const started = process.cpuUsage()
        const reason = await readSigner(file).then(() => 'none', (error) => error.reason ?? String(error))
        // Of the processor, not of the clock: others may be at work on the same machine.
        const { user, system } = process.cpuUsage(started)
        const ms = (user + system) / 1_000
        look()
        clearInterval(watch)
        await file.close()
        outcomes.push({ reason, ms, grown: most - before })
      }
      console.log(JSON.stringify(outcomes))`
    const said = execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      encoding: 'utf8',
      cwd: import.meta.dirname,
    })
    outcomes = JSON.parse(said) as Outcome[]
  })

  test.each(cases.map(([what, reason], n) => [what, reason, n] as const))(
    '%s is refused within 2 s and 64 MiB',
    (_what, reason, n) => {
      const { ms, grown, ...rest } = outcomes[n]!
      expect(rest).toEqual({ reason })
      expect(ms).toBeLessThan(2_000)
      expect(grown).toBeLessThan(64 * 1024 * 1024)
    },
  )

  it('and an application as large as they come is read', async () => {
    const block = signingBlock([[blockIds.v2, signature(certificate)]])
    expect(await reasonOf(zip({ entries: many(29_000), block }))).toEqual({
      scheme: 'v2',
      certificate,
      certificates: [certificate],
    })
  })
})
