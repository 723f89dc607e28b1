import { beyondLimits, bytesAt, invalid } from '../apk/source.ts'
import type { ByteSource } from '../apk/source.ts'
import type { Member } from './cpio.ts'

const block = 512
const members_max = 1_000

/** The plain files of a tar archive, in its order. Throws ApkError. */
export async function tarMembers(source: ByteSource): Promise<Member[]> {
  const members: Member[] = []
  for (let at = 0; ;) {
    const header = await bytesAt(source, at, block)
    if (header.every((byte) => byte === 0)) return members
    const field = (start: number, length: number) =>
      header.toString('utf8', start, start + length).replace(/\0[\s\S]*$/, '')
    const number = (start: number, length: number) => {
      const text = field(start, length).trim()
      if (!/^[0-7]+$/.test(text)) throw invalid('not a tar archive')
      return parseInt(text, 8)
    }
    let sum = 8 * 0x20
    for (const [place, byte] of header.entries()) if (place < 148 || place >= 156) sum += byte
    if (sum !== number(148, 8)) throw invalid('not a tar archive')
    // More than eight gibibytes are written in another way, which no upload reaches.
    const size = number(124, 12)
    const start = at + block
    if (start + size > source.size) throw invalid('it ends early')
    const type = field(156, 1)
    if (type === '' || type === '0') members.push({ name: field(0, 100), start, size })
    if (members.length > members_max) throw beyondLimits('too many files')
    at = start + Math.ceil(size / block) * block
  }
}
