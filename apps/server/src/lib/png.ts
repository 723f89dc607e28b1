import { bytesText } from './bytes.ts'
import { osCustomLimits } from '@mdm/contract'
import { PNG } from 'pngjs'
import { refuse } from '../refusal.ts'

export type PictureFacts = { width: number; height: number }
const head = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, ...Buffer.from('IHDR')])

export const pictureInvalid = (): never =>
  refuse('os_picture_invalid', {
    max: bytesText(osCustomLimits.picture_bytes),
    side: osCustomLimits.picture_side,
  })

/** A PNG that can be drawn: its measures are looked at before it is decoded, and it is decoded to its end. */
export function readPng(bytes: Buffer, side_max: number): PictureFacts {
  if (bytes.length < head.length + 8 || !bytes.subarray(0, head.length).equals(head)) return pictureInvalid()
  const width = bytes.readUInt32BE(head.length)
  const height = bytes.readUInt32BE(head.length + 4)
  if (width === 0 || height === 0 || width > side_max || height > side_max) return pictureInvalid()
  try {
    PNG.sync.read(bytes)
  } catch {
    return pictureInvalid()
  }
  return { width, height }
}
