import { appLimits } from '@mdm/contract'
import { buffer } from 'node:stream/consumers'
import { wholeUpload } from '../../../files/own-upload.ts'
import type { WholeUpload } from '../../../files/own-upload.ts'
import { bytesText } from '../../../lib/bytes.ts'
import { newKid } from '../../../lib/ids.ts'
import { refuse } from '../../../refusal.ts'
import type { Db, Librarian } from './library.ts'

export type Picture = { upload_kid?: string; object: string; size: number; content_type: string }

const invalid = (): never => refuse('app_picture_invalid', { max: bytesText(appLimits.picture_bytes) })
/** As far as a JPEG's measures may stand behind what cameras write in front. */
const head_bytes = 256 * 1024

/** An upload that is a picture of a size that browsers can show, whatever it is called. */
export async function uploadedPicture({ deps, uploads, user }: Librarian, kid: string): Promise<Picture> {
  const upload: WholeUpload = await wholeUpload(deps, uploads, user.kid, kid)
  if (upload.claimed_at) return refuse('not_found')
  const { object, size } = upload
  if (size === 0 || size > appLimits.picture_bytes) return invalid()
  const head = await buffer(await deps.objects.read(object, { start: 0, end: Math.min(size, head_bytes) - 1 }))
  const measures = pngMeasures(head) ?? jpegMeasures(head)
  if (!measures) return invalid()
  const pixels = measures.width * measures.height
  if (pixels === 0 || pixels > appLimits.picture_pixels) return invalid()
  return { upload_kid: kid, object, size, content_type: measures.content_type }
}

type Measures = { content_type: string; width: number; height: number }
const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, ...Buffer.from('IHDR')])

function pngMeasures(head: Buffer): Measures | undefined {
  if (head.length < png.length + 8 || !head.subarray(0, png.length).equals(png)) return undefined
  return {
    content_type: 'image/png',
    width: head.readUInt32BE(png.length),
    height: head.readUInt32BE(png.length + 4),
  }
}

/** From the first frame: the markers in front of it say their length. */
function jpegMeasures(head: Buffer): Measures | undefined {
  if (head.readUInt8(0) !== 0xff || head[1] !== 0xd8) return undefined
  for (let at = 2; at + 9 < head.length;) {
    const marker = head[at + 1]!
    if (head[at] !== 0xff) return undefined
    const is_frame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (is_frame)
      return { content_type: 'image/jpeg', height: head.readUInt16BE(at + 5), width: head.readUInt16BE(at + 7) }
    at += 2 + head.readUInt16BE(at + 2)
  }
  return undefined
}

type Kept = { app_kid: string; account_kid: string; kind: 'icon' | 'screenshot'; sort: number }
export const keepPicture = (trx: Db, { object, size, content_type }: Picture, of: Kept) =>
  trx
    .insertInto('app_picture')
    .values({ kid: newKid(), ...of, object, size, content_type })
    .execute()
