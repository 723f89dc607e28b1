import { assertOnce } from '../apk/paths.ts'
import { beyondLimits, bytesAt, invalid } from '../apk/source.ts'
import type { ByteSource } from '../apk/source.ts'

const header_bytes = 110
const name_max = 256
const members_max = 1_000
const last = 'TRAILER!!!'

export type Member = { name: string; start: number; size: number }

/** The files of a cpio archive in its newer ASCII form, with checksums or without. Throws ApkError. */
export async function cpioMembers(source: ByteSource): Promise<Member[]> {
  const members: Member[] = []
  for (let at = 0; ;) {
    const header = (await bytesAt(source, at, header_bytes)).toString('latin1')
    if (!/^07070[12][0-9A-Fa-f]{104}$/.test(header)) throw invalid('not a cpio archive')
    const field = (place: number) => parseInt(header.slice(6 + place * 8, 14 + place * 8), 16)
    const [size, name_size] = [field(6), field(11)]
    if (name_size < 2 || name_size > name_max) throw invalid('a name in it is empty or too long')
    const named = await bytesAt(source, at + header_bytes, name_size)
    const name = named.toString('utf8', 0, name_size - 1)
    if (named[name_size - 1] !== 0 || name.includes('\0')) throw invalid('a name in it does not end')
    const start = padded(at + header_bytes + name_size)
    if (name === last) break
    if (start + size > source.size) throw invalid('it ends early')
    if (members.length >= members_max) throw beyondLimits('too many files')
    if (header[5] === '2') await assertSum(source, { name, start, size }, field(12))
    members.push({ name, start, size })
    at = padded(start + size)
  }
  assertOnce(members.map(({ name }) => name))
  return members
}

const padded = (at: number): number => Math.ceil(at / 4) * 4

const piece = 1024 ** 2
async function assertSum(source: ByteSource, { name, start, size }: Member, sum: number): Promise<void> {
  let found = 0
  for (let at = start; at < start + size; at += piece)
    for (const byte of await bytesAt(source, at, Math.min(piece, start + size - at))) found = (found + byte) >>> 0
  if (found !== sum) throw invalid(`${name} is damaged`)
}
