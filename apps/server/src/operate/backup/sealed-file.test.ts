import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sealing, unsealed } from './sealed-file.ts'

const mib = 1024 * 1024
/** The least that is accepted: what a passphrase costs is no question here. */
const quick = { log_n: 14, r: 8, p: 1 }
const passphrase = 'seven made-up words'
let folder: string
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'mdm-sealed-'))))
afterAll(() => rm(folder, { recursive: true }))

async function seal(name: string, content: Buffer): Promise<string> {
  const path = join(folder, name)
  await pipeline(Readable.from([content]), await sealing(passphrase, new Date(), quick), createWriteStream(path))
  return path
}
const open = (path: string, by = passphrase) => buffer(Readable.from(unsealed(path, by)))

it.each([0, 1, mib, mib + 1, 2 * mib])('gives back %d bytes', async (size) => {
  const content = randomBytes(size)
  expect((await open(await seal(`of-${size}`, content))).equals(content)).toBe(true)
})

it('is opened by its passphrase alone', async () => {
  const path = await seal('other', Buffer.from('content'))
  await expect(open(path, 'seven other words')).rejects.toThrow('the passphrase is another one')
})

it('is no whole file when it ends between two frames, and none when two frames have changed places', async () => {
  const whole = await readFile(await seal('frames', randomBytes(3 * mib)))
  const frame = 4 + mib + 16
  const at = whole.length - 3 * frame
  const path = join(folder, 'cut')
  await writeFile(path, whole.subarray(0, at + 2 * frame))
  await expect(open(path)).rejects.toThrow('is damaged')
  const [head, one, two, three] = [[0, at], [at, at + frame], [at + frame, at + 2 * frame], [at + 2 * frame]].map(
    ([from, to]) => whole.subarray(from, to),
  ) as [Buffer, Buffer, Buffer, Buffer]
  await writeFile(path, Buffer.concat([head, two, one, three]))
  await expect(open(path)).rejects.toThrow()
})

it('says what is no backup at all', async () => {
  const path = join(folder, 'none')
  await writeFile(path, 'a text of somebody, which is long enough')
  await expect(open(path)).rejects.toThrow('is no backup')
})
