import { expect, it } from 'vitest'
import { lyingZip, zipOf } from '../testing/zip.ts'
import type { Lie } from '../testing/zip.ts'
import type { ByteSource } from './apk/source.ts'
import { readOsPackage } from './os-package.ts'

const sourceOf = (bytes: Buffer): ByteSource => ({
  size: bytes.length,
  read: async (start, length) => bytes.subarray(start, start + length),
})
const read = (bytes: Buffer) => readOsPackage(sourceOf(bytes))
const one = (name: string, more: Partial<Lie> = {}) => lyingZip([{ name, content: Buffer.from('x'), ...more }])
const twins = (...names: string[]) => lyingZip(names.map((name) => ({ name, content: Buffer.from(name) })))
const link = 0o120777

it('a package is the folder DOWNLOAD with whatever is in it', async () => {
  const bytes = await zipOf([
    ['DOWNLOAD/system.img', 'system'],
    ['DOWNLOAD/a/b c/tệp 文件', 'x'],
  ])
  expect(await read(bytes)).toEqual({ files: 2, bytes: 7 })
})

it.each<[string, 'invalid' | 'unsigned' | 'beyond_limits', Buffer]>([
  ['a path that leaves the folder', 'invalid', one('DOWNLOAD/../../etc/passwd')],
  ['a path from the root', 'invalid', one('/DOWNLOAD/a')],
  ['a path of another system', 'invalid', one('DOWNLOAD/..\\a')],
  ['a drive', 'invalid', one('DOWNLOAD/C:a')],
  ['a step without a name', 'invalid', one('DOWNLOAD//a')],
  ['a control character', 'invalid', one('DOWNLOAD/a\u0000.img')],
  ['a name that goes on and on', 'invalid', one(`DOWNLOAD/${'a'.repeat(600)}`)],
  ['another name in front of its content', 'invalid', one('DOWNLOAD/a', { local_name: '../../etca' })],
  ['another name in its Unicode Path field', 'invalid', one('DOWNLOAD/a', { unicode_name: 'DOWNLOAD/b' })],
  ['a link', 'invalid', one('DOWNLOAD/a', { mode: link, content: Buffer.from('/etc/passwd') })],
  ['a device', 'invalid', one('DOWNLOAD/a', { mode: 0o060644 })],
  ['a setuid bit', 'invalid', one('DOWNLOAD/a', { mode: 0o104755 })],
  ['other bytes than were packed', 'invalid', one('DOWNLOAD/a', { says_sum: 7 })],
  ['a name that is a file and a folder', 'invalid', twins('DOWNLOAD/a', 'DOWNLOAD/A/b')],
  ['a name that is a file and a folder that is listed', 'invalid', twins('DOWNLOAD/a', 'DOWNLOAD/a/')],
  ['a password', 'invalid', one('DOWNLOAD/a', { is_encrypted: true })],
  ['two names that are one to some', 'invalid', twins('DOWNLOAD/a', 'DOWNLOAD/A')],
  ['two compositions of one name', 'invalid', twins('DOWNLOAD/caf\u00e9/a', 'DOWNLOAD/cafe\u0301/a')],
  ['two names of one case folding', 'invalid', twins('DOWNLOAD/stra\u00dfe', 'DOWNLOAD/STRASSE')],
  ['two names of which one is composed and in capitals', 'invalid', twins('DOWNLOAD/\u00e9', 'DOWNLOAD/E\u0301')],
  ['a zero-width character', 'invalid', one('DOWNLOAD/sys\u200btem.img')],
  ['a joiner', 'invalid', one('DOWNLOAD/sys\u200dtem.img')],
  ['a byte order mark', 'invalid', one('DOWNLOAD/\ufeffsystem.img')],
  ['a bidi control', 'invalid', one('DOWNLOAD/gnp\u202eimg')],
  ['a bidi isolate', 'invalid', one('DOWNLOAD/a\u2066b')],
  ['a line separator', 'invalid', one('DOWNLOAD/a\u2028b')],
  ['more than it says', 'invalid', one('DOWNLOAD/a', { content: Buffer.alloc(1_000_000), says_bytes: 10 })],
  ['fewer than it says', 'invalid', one('DOWNLOAD/a', { content: Buffer.from('x'), says_bytes: 10 })],
  ['far more than it packs', 'beyond_limits', one('DOWNLOAD/a', { says_bytes: 0xfffffff0 })],
  [
    'a million entries, or says so',
    'beyond_limits',
    lyingZip([{ name: 'DOWNLOAD/a', content: Buffer.from('x') }], 65_534),
  ],
  ['something beside the folder', 'unsigned', one('readme.txt')],
  ['the folder within another', 'unsigned', one('m102/DOWNLOAD/system.img')],
  ['nothing in the folder', 'unsigned', lyingZip([{ name: 'DOWNLOAD/', content: Buffer.alloc(0) }])],
  ['a name of the server’s own', 'unsigned', one('DOWNLOAD/.delta/index.json')],
  ['no archive', 'invalid', Buffer.from('no archive')],
])('a file with %s is refused as %s', async (_what, reason, bytes) => {
  await expect(read(bytes)).rejects.toMatchObject({ name: 'ApkError', reason })
})
