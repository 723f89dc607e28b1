import { bytesAt, invalid } from '../apk/source.ts'
import type { ByteSource } from '../apk/source.ts'
import { cmsContent } from './cms.ts'
import type { OsImageSays } from './image.ts'

const size_bytes = 8
const signature_max = 64 * 1024
const squashfs_header_bytes = 96

/**
 * A bundle of RAUC: a squashfs, behind it its signature and how long that is. Bundles of the format `verity` say what they are in what
 * is signed; the older `plain` ones say it within the squashfs, and `crypt` ones to those alone who can open them. Throws ApkError.
 */
export async function readRaucb(source: ByteSource): Promise<OsImageSays> {
  const header = await bytesAt(source, 0, squashfs_header_bytes)
  if (header.toString('latin1', 0, 4) !== 'hsqs' || header.readUInt16LE(28) !== 4)
    throw invalid('it does not begin with a squashfs')
  const signature_bytes = (await bytesAt(source, source.size - size_bytes, size_bytes)).readBigUInt64BE()
  if (signature_bytes === 0n || signature_bytes > BigInt(signature_max)) throw invalid('no signature stands at its end')
  const size = Number(signature_bytes)
  const start = source.size - size_bytes - size
  if (start < 0 || header.readBigUInt64LE(40) > BigInt(start)) throw invalid('its squashfs ends early')
  const content = cmsContent(await bytesAt(source, start, size))
  return content === undefined ? { version: null, hardware: [] } : factsOf(content.toString('utf8'))
}

/** Of the manifest, whose groups are in brackets. */
function factsOf(manifest: string): OsImageSays {
  const update = /^\[update\]\s*$([^[]*)/m.exec(manifest)?.[1] ?? ''
  const field = (name: string) => new RegExp(`^${name}\\s*=(.*)$`, 'm').exec(update)?.[1]?.trim()
  const compatible = field('compatible')
  if (compatible === undefined) throw invalid('what is signed is no manifest')
  return { version: field('version') ?? null, hardware: [compatible] }
}
