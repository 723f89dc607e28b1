import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { crc32, deflateRawSync } from 'node:zlib'
import { open } from 'node:fs/promises'
import { openArchive, readDirectory } from '../lib/apk/archive.ts'
import { invalid } from '../lib/apk/source.ts'
import type { ByteSource } from '../lib/apk/source.ts'

/** An APK that its own developers signed, by scheme v2. */
export const realApk = join(
  dirname(createRequire(import.meta.url).resolve('io.appium.settings/package.json')),
  'apks/settings_apk-debug.apk',
)

/** A file as it is read from the object store: bytes come when they are asked for. */
export async function onDisk(path: string): Promise<ByteSource & { close(): Promise<void> }> {
  const file = await open(path)
  return {
    size: (await file.stat()).size,
    async read(start, length) {
      const bytes = Buffer.alloc(length)
      const { bytesRead } = await file.read(bytes, 0, length, start)
      return bytes.subarray(0, bytesRead)
    },
    close: () => file.close(),
  }
}

export type TestEntry = {
  name: string
  content: Buffer
  /** What the directory says instead of the truth. */
  claims?: { uncompressed?: number; compressed?: number; offset?: number; crc?: number }
  /** What kind of file a Unix would make of it. */
  mode?: number
}
export type Parts = {
  entries?: TestEntry[]
  /** Goes between the entries and the directory. */
  block?: Buffer
  /** What the end record says instead of the truth. */
  count?: number
  directory_offset?: number
}

/** A ZIP archive, byte by byte, so that any byte of it can be wrong. */
export function zip({ entries = [], block = Buffer.alloc(0), count, directory_offset }: Parts): Buffer {
  const locals: Buffer[] = []
  const central: Buffer[] = []
  let at = 0
  for (const { name, content, claims = {}, mode = 0 } of entries) {
    const data = deflated(content)
    const sizes = Buffer.alloc(12)
    sizes.writeUInt32LE(claims.crc ?? sumOf(content), 0)
    sizes.writeUInt32LE(claims.compressed ?? data.length, 4)
    sizes.writeUInt32LE(claims.uncompressed ?? content.length, 8)
    const shared = Buffer.concat([u16(20), u16(0), u16(8), u16(0), u16(0), sizes, u16(Buffer.byteLength(name)), u16(0)])
    const local = Buffer.concat([u32(0x04034b50), shared, Buffer.from(name, 'latin1'), data])
    central.push(
      Buffer.concat([
        u32(0x02014b50),
        u16(20),
        shared,
        u16(0),
        u16(0),
        u16(0),
        u32((mode << 16) >>> 0),
        u32(claims.offset ?? at),
        Buffer.from(name, 'latin1'),
      ]),
    )
    locals.push(local)
    at += local.length
  }
  const directory = Buffer.concat(central)
  const total = (count ?? entries.length) & 0xffff
  const end = Buffer.concat([
    u32(0x06054b50),
    u32(0),
    u16(total),
    u16(total),
    u32(directory.length),
    u32(directory_offset ?? at + block.length),
    u16(0),
  ])
  return Buffer.concat([...locals, block, directory, end])
}

/** Entries that share a buffer are packed once: a hundred thousand of them would take long. */
const packed = new WeakMap<Buffer, Buffer>()
function deflated(content: Buffer): Buffer {
  const data = packed.get(content) ?? deflateRawSync(content)
  packed.set(content, data)
  return data
}

const sums = new WeakMap<Buffer, number>()
function sumOf(content: Buffer): number {
  const sum = sums.get(content) ?? crc32(content)
  sums.set(content, sum)
  return sum
}

const u16 = (value: number) => numbered(2, value)
export const u32 = (value: number): Buffer => numbered(4, value)
function numbered(bytes: number, value: number): Buffer {
  const buffer = Buffer.alloc(bytes)
  buffer.writeUIntLE(value, 0, bytes)
  return buffer
}

/** A length in front. */
export const sized = (...parts: Buffer[]): Buffer => {
  const whole = Buffer.concat(parts)
  return Buffer.concat([u32(whole.length), whole])
}

export const blockIds = { v2: 0x7109871a, v3: 0xf05368c0, 'v3.1': 0x1b93ad61, padding: 0x42726577 } as const
/** The value of a signature in the block, with everything but the certificate empty. */
export const signature = (certificate: Buffer): Buffer => sized(sized(sized(sized(), sized(sized(certificate)))))

export type BlockPart = [id: number, value: Buffer]
/** An APK Signing Block. `size` is what it says of itself instead of the truth. */
export function signingBlock(parts: BlockPart[], size?: { first?: bigint; last?: bigint }): Buffer {
  const pairs = Buffer.concat(parts.flatMap(([id, value]) => [u64(BigInt(value.length + 4)), u32(id), value]))
  const true_size = BigInt(pairs.length + 24)
  const magic = Buffer.from('APK Sig Block 42')
  return Buffer.concat([u64(size?.first ?? true_size), pairs, u64(size?.last ?? true_size), magic])
}
function u64(value: bigint): Buffer {
  const buffer = Buffer.alloc(8)
  buffer.writeBigUInt64LE(value)
  return buffer
}

/** One DER element. */
export function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const long = content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...long]), content])
}

/** The bytes of a DER element's content from `at`, and where the next one begins. For certificates of usual sizes. */
export function opened(bytes: Buffer, at: number): { content: Buffer; start: number; end: number } {
  const first = bytes[at + 1]
  if (first === undefined) throw invalid('no element')
  const more = first < 128 ? 0 : first & 0x7f
  const length = more === 0 ? first : bytes.readUIntBE(at + 2, more)
  const start = at + 2 + more
  return { content: bytes.subarray(start, start + length), start, end: start + length }
}

/** A JAR signature of scheme v1: PKCS #7 with these certificates, signed by the one with this issuer and serial. */
export function pkcs7(certificates: Buffer[], issuer: Buffer, serial: Buffer): Buffer {
  const signed_data = Buffer.from('2a864886f70d010702', 'hex')
  const data = Buffer.from('2a864886f70d010701', 'hex')
  const version = der(2, Buffer.from([1]))
  const signer = der(0x30, version, der(0x30, issuer, serial))
  return der(
    0x30,
    der(6, signed_data),
    der(0xa0, der(0x30, version, der(0x31), der(0x30, der(6, data)), der(0xa0, ...certificates), der(0x31, signer))),
  )
}

type Disguise = {
  /** As long as the name of the real one, so that the binary XML stays as it is: io.appium.settings. */
  package?: string
  version_code?: number
  /** As long as 8.0.10. */
  version_name?: string
  /** X.509, DER: who signed it. */
  certificate: Buffer
}
/** The manifest of the real APK with other facts in it, signed by another. Bytes of parts that are not asked for are left out. */
export async function disguisedApk({ certificate, ...facts }: Disguise, more: TestEntry[] = []): Promise<Buffer> {
  const content = Buffer.from(await realManifest())
  const replace = (from: string, to: string | undefined) => {
    const at = content.indexOf(from, 0, 'utf16le') >= 0 ? 'utf16le' : 'utf8'
    for (let place = to === undefined ? -1 : content.indexOf(from, 0, at); place >= 0;) {
      content.write(to!, place, at)
      place = content.indexOf(from, place + 1, at)
    }
  }
  replace('io.appium.settings', facts.package)
  replace('8.0.10', facts.version_name)
  if (facts.version_code !== undefined)
    content.writeUInt32LE(facts.version_code, content.indexOf(Buffer.from('08000010c0000000', 'hex')) + 4)
  const entries = [{ name: 'AndroidManifest.xml', content }, ...more]
  return zip({ entries, block: signingBlock([[blockIds.v2, signature(certificate)]]) })
}

let manifest: Promise<Buffer> | undefined
/** As it stands in the real APK. */
export const realManifest = (): Promise<Buffer> => (manifest ??= readRealManifest())
async function readRealManifest(): Promise<Buffer> {
  const source = await onDisk(realApk)
  try {
    const directory = await readDirectory(source)
    const archive = await openArchive(source, directory, directory.start, (name) => name === 'AndroidManifest.xml')
    return await archive.content(archive.entries[0]!, 1024 ** 2)
  } finally {
    await source.close()
  }
}
