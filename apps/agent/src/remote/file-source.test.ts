import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { FileAnswer, file_frame_bytes, fileFrame, fileFrames, noteOfFrame } from '@mdm/device-link'
import type { FileQuestion } from '@mdm/device-link'
import { afterEach, expect, test } from 'vitest'
import { simulatedBody } from '../body/simulated.ts'
import { openTurns } from '../turns.ts'
import { fileSource } from './file-source.ts'
import type { RemoteSource } from './source.ts'

const { piece } = file_frame_bytes
const path = '/sdcard/Download/map-tiles.zip'
const open: RemoteSource['stream'][] = []
afterEach(() => open.splice(0).forEach((stream) => stream.destroy()))

function source({
  may_change = true,
  body = simulatedBody({ sn: 'F', seed: 1, faults: {} }),
  turns = openTurns(),
} = {}) {
  const { stream } = fileSource(body, { turns, may_change })
  open.push(stream)
  const take = fileFrames(file_frame_bytes.note)
  const said: (FileAnswer | Uint8Array)[] = []
  const listen = () =>
    stream.on('data', (bytes: Buffer) => {
      for (const frame of take(bytes))
        said.push(frame.type === 'piece' ? frame.body : FileAnswer.parse(noteOfFrame(frame)))
    })
  const failed = new Promise<Error>((resolve) => stream.once('error', resolve))
  const ask = (...of: (FileQuestion | Uint8Array)[]) => stream.write(Buffer.concat(of.map(fileFrame)))
  return { stream, said, listen, failed, ask, body, turns }
}
const fileOf = (content: Uint8Array) => ({
  ...{ path: '/sdcard', name: 'new.bin', size: content.length },
  sha256: createHash('sha256').update(content).digest('hex'),
})

test('who may only look is refused every change, and reads', async () => {
  const { ask, said, listen } = source({ may_change: false })
  listen()
  ask(
    { id: 1, put: fileOf(Buffer.from('abc')) },
    { id: 2, write: { length: 3 } },
    Buffer.from('abc'),
    { id: 3, place: true },
    { id: 4, make_folder: { path: '/sdcard/new' } },
    { id: 5, list: { path: '/sdcard' } },
  )
  await expect.poll(() => said.length).toBe(5)
  const error = expect.objectContaining({ code: 'permission_missing' })
  expect(said.slice(0, 4)).toEqual([1, 2, 3, 4].map((id) => ({ id, error })))
  expect(said[4]).toMatchObject({ id: 5, list: { next: null } })
})

test('a viewer who does not read costs an answer, however much is asked', async () => {
  const { ask, stream } = source()
  let taken = 0
  for (let id = 1; id <= 200; id++) {
    stream.write(Buffer.from(fileFrame({ id, read: { path, offset: 0, length: piece } })), () => (taken += 1))
  }
  await delay(100)
  expect(taken).toBeLessThan(3)
  expect(stream.readableLength).toBeLessThan(3 * piece)
  expect(ask({ id: 201, list: { path: '/' } })).toBe(false)
})

test.each([
  ['bytes that nothing announced', [Buffer.from('x')]],
  [
    'a question where bytes were announced',
    [
      { id: 1, write: { length: 1 } },
      { id: 2, list: { path: '/' } },
    ],
  ],
  ['what is no question', [{ id: 1, format: true } as never]],
] as const)('ends with %s', async (_name, said) => {
  const { ask, failed } = source()
  ask(...said)
  expect(await failed).toBeInstanceOf(Error)
})

test('a file that somebody else is sending is waited for, and free when they go', async () => {
  const content = randomBytes(10)
  const first = source()
  first.listen()
  first.ask({ id: 1, put: fileOf(content) })
  await expect.poll(() => first.said).toEqual([{ id: 1, position: 0 }])
  const second = source(first)
  second.listen()
  second.ask({ id: 1, put: fileOf(content) })
  await delay(30)
  expect(second.said).toEqual([])
  first.ask({ id: 2, write: { length: 10 } }, content)
  await expect.poll(() => first.said).toHaveLength(2)
  first.stream.destroy()
  await expect.poll(() => second.said).toEqual([{ id: 1, position: 10 }])
  second.ask({ id: 2, place: true })
  await expect.poll(() => second.said.at(-1)).toEqual({ id: 2, done: '/sdcard/new.bin' })
})
