import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'

/** A cpio archive in its newer ASCII form, with checksums where `sums` are asked for. */
export function cpioOf(files: readonly [name: string, content: string | Buffer][], sums = false): Buffer {
  const parts = [...files, ['TRAILER!!!', ''] as const].flatMap(([name, content], at) => {
    const bytes = Buffer.from(content)
    const sum = sums ? bytes.reduce((total, byte) => (total + byte) >>> 0, 0) : 0
    const fields = [at + 1, 0o100644, 0, 0, 1, 0, bytes.length, 0, 0, 0, 0, Buffer.byteLength(name) + 1, sum]
    const header = (sums ? '070702' : '070701') + fields.map((field) => field.toString(16).padStart(8, '0')).join('')
    return [padded(Buffer.from(`${header}${name}\0`), 4), padded(bytes, 4)]
  })
  return padded(Buffer.concat(parts), 512)
}

const padded = (bytes: Buffer, to: number): Buffer =>
  Buffer.concat([bytes, Buffer.alloc((to - (bytes.length % to)) % to)])

/** An image of SWUpdate with one file. */
export const swuOf = (version = '2.0.0', content = 'new', more = 'hardware-compatibility: [ "1.0", "1.2" ];'): Buffer =>
  cpioOf([
    [
      'sw-description',
      `software = { version = "${version}"; ${more} files: ( { filename = "app.bin"; path = "/x"; } ); };`,
    ],
    ['app.bin', content],
  ])

export function tarOf(files: readonly [name: string, content: string | Buffer][]): Buffer {
  const parts = files.flatMap(([name, content]) => {
    const bytes = Buffer.from(content)
    const header = Buffer.alloc(512)
    header.write(name, 0)
    header.write(
      `0000644\0${'0000000\0'.repeat(2)}${bytes.length.toString(8).padStart(11, '0')}\0${'0'.repeat(11)}\0`,
      100,
    )
    header.write('        0', 148)
    header.write('ustar\x0000', 257)
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    return [header, padded(bytes, 512)]
  })
  return Buffer.concat([...parts, Buffer.alloc(1024)])
}

type MenderMore = { version?: string; module?: string; files?: readonly [name: string, content: string | Buffer][] }
const app_files: NonNullable<MenderMore['files']> = [['app.bin', 'new']]

/** An artifact of Mender whose payload an update module installs. */
export function menderOf(name = 'release-2', device_type = ['beaglebone'], more: MenderMore = {}): Buffer {
  const right = '{"format":"mender","version":3}'
  const { version = right, module: type = 'single-file', files = app_files } = more
  const info = {
    payloads: [{ type }],
    artifact_provides: { artifact_name: name },
    artifact_depends: { device_type },
  }
  const header = gzipSync(
    tarOf([
      ['header-info', JSON.stringify(info)],
      ['headers/0000/type-info', JSON.stringify({ type })],
    ]),
  )
  const digest = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')
  const of_files = files.map(([file, content]) => `${digest(content)}  data/0000/${file}\n`).join('')
  const manifest = `${of_files}${digest(header)}  header.tar.gz\n${digest(right)}  version\n`
  return tarOf([
    ['version', version],
    ['manifest', manifest],
    ['header.tar.gz', header],
    ['data/0000.tar.gz', gzipSync(tarOf(files))],
  ])
}

const der = (tag: number, ...parts: Buffer[]): Buffer => {
  const content = Buffer.concat(parts)
  const length = content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}
const oid = (last: number): Buffer => der(0x06, Buffer.from([0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, last]))

/** A bundle of RAUC: no more than the beginning of a squashfs, and what is signed where that is told. */
export function raucbOf(manifest?: string): Buffer {
  const squashfs = Buffer.alloc(4096)
  squashfs.write('hsqs', 0)
  squashfs.writeUInt16LE(4, 28)
  squashfs.writeBigUInt64LE(4096n, 40)
  const content = manifest === undefined ? [] : [der(0xa0, der(0x04, Buffer.from(manifest)))]
  const signed = der(0x30, der(0x02, Buffer.from([3])), der(0x31), der(0x30, oid(1), ...content), der(0x31))
  const signature = der(0x30, oid(2), der(0xa0, signed))
  const size = Buffer.alloc(8)
  size.writeBigUInt64BE(BigInt(signature.length))
  return Buffer.concat([squashfs, signature, size])
}
