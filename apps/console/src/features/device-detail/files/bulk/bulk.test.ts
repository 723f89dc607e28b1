import { changesFiles, fileFrame, fileFrames, file_frame_bytes, noteOfFrame } from '@mdm/contract/tunnel.ts'
import type { FileQuestion } from '@mdm/contract/tunnel.ts'
import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import type { RemoteConnection } from '../../../remote/public.ts'
import { fileLink, FileRefused, questions_at_once, SessionOver } from './file-link.ts'
import { putFile } from './put-file.ts'
import { bytesOf, walk } from './read-files.ts'

const { piece } = file_frame_bytes
const modified_at = '2026-01-05T00:00:00.000Z'
type Now = ReturnType<RemoteConnection['current']>

/** A device with files in memory, behind a connection that breaks after so many questions that were heard. */
function device(files: Record<string, Uint8Array>, breaks_after: number[] = []) {
  const listeners = new Set<() => void>()
  const stats = { unanswered: 0, most_unanswered: 0, tunnels: 0, placed: undefined as Buffer | undefined }
  const change = { size: 0 }
  let arriving = Buffer.alloc(0)
  let put: { size: number; sha256: string } | undefined
  let now = { status: { name: 'connecting', is_open: false }, channel: null } as unknown as Now
  const become = (next: object) => {
    now = { ...now, ...next } as Now
    for (const listener of listeners) listener()
  }
  const connect = () => {
    stats.tunnels += 1
    let left = breaks_after.shift() ?? Infinity
    let length: { id: number; length: number } | undefined
    const take = fileFrames(file_frame_bytes.question)
    const channel = {
      onmessage: null as ((event: { data: ArrayBuffer }) => void) | null,
      begin() {},
      send(bytes: Uint8Array) {
        for (const frame of take(bytes)) {
          if (frame.type === 'piece') {
            arriving = Buffer.concat([arriving, frame.body])
            say({ id: length!.id, position: arriving.length })
          } else hear(noteOfFrame(frame) as FileQuestion)
        }
      },
    }
    const say = (...said: Parameters<typeof fileFrame>[0][]) => {
      stats.unanswered += 1
      stats.most_unanswered = Math.max(stats.most_unanswered, stats.unanswered)
      setTimeout(() => {
        stats.unanswered -= 1
        if (now.channel !== (channel as unknown)) return
        for (const each of said) channel.onmessage?.({ data: fileFrame(each).buffer as ArrayBuffer })
      })
    }
    const hear = (question: FileQuestion) => {
      if (left-- <= 0) {
        // What was sent last may have arrived, and its answer not.
        if (now.channel === (channel as unknown)) {
          become({ status: { name: 'reconnecting' }, channel: null })
          setTimeout(connect)
        }
        if ('write' in question) length = { id: question.id, ...question.write }
        return
      }
      if ('list' in question) {
        const prefix = question.list.path === '/' ? '/' : `${question.list.path}/`
        const names = [
          ...new Set(
            Object.keys(files)
              .filter((path) => path.startsWith(prefix))
              .map((path) => path.slice(prefix.length).split('/')[0]!),
          ),
        ]
        const rest = names.toSorted().filter((name) => question.list.after === undefined || name > question.list.after)
        const items = rest.slice(0, 2).map((name) => {
          const bytes = files[prefix + name]
          return bytes ? { name, type: 'file' as const, size: bytes.length } : { name, type: 'folder' as const }
        })
        return say({ id: question.id, list: { items, next: rest.length > 2 ? items.at(-1)!.name : null } })
      }
      if ('read' in question) {
        const { path, offset } = question.read
        const bytes = files[path]
        if (!bytes) return say({ id: question.id, error: { code: 'not_found', message: path } })
        const part = bytes.subarray(offset, offset + question.read.length)
        return say(
          { id: question.id, read: { length: part.length, size: bytes.length + change.size, modified_at } },
          part,
        )
      }
      if ('put' in question) {
        put = question.put
        return say({ id: question.id, position: arriving.length })
      }
      if ('write' in question) return void (length = { id: question.id, ...question.write })
      if ('place' in question) {
        expect(createHash('sha256').update(arriving).digest('hex')).toBe(put!.sha256)
        stats.placed = arriving
        return say({ id: question.id, done: '/x' })
      }
    }
    become({ status: { name: 'connected', seen_at: 0 }, channel })
  }
  const connection = {
    current: () => now,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    leave: () => become({ status: { name: 'ended', disabled_reason: 'left' }, channel: null }),
  }
  setTimeout(connect)
  return { link: fileLink(connection), stats, change, become }
}
async function all(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const each of bytes) pieces.push(each)
  return Buffer.concat(pieces)
}

test('a file comes as it is over dropped links, a few pieces ahead and no more', async () => {
  const content = randomBytes(30 * piece + 5)
  const { link, stats } = device({ '/a': content, '/empty': Buffer.alloc(0) }, [3, 9])
  expect((await all(bytesOf(link, '/a'))).equals(content)).toBe(true)
  expect(stats.tunnels).toBe(3)
  expect(stats.most_unanswered).toBeLessThanOrEqual(questions_at_once)
  expect(await all(bytesOf(link, '/empty'))).toHaveLength(0)
})

test('whoever does not take what comes is sent no more', async () => {
  const { link, stats } = device({ '/a': randomBytes(40 * piece) })
  const bytes = bytesOf(link, '/a')
  await bytes.next()
  await new Promise((resolve) => setTimeout(resolve, 50))
  const asked = stats.most_unanswered
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(stats).toMatchObject({ unanswered: 0, most_unanswered: asked })
  expect(asked).toBeLessThan(questions_at_once)
})

test('a file that changes meanwhile, is gone, or whose session ends says so', async () => {
  const { link, change, become } = device({ '/a': randomBytes(20 * piece) })
  const bytes = bytesOf(link, '/a')
  await bytes.next()
  await new Promise((resolve) => setTimeout(resolve, 50))
  change.size = 1
  await expect(all(bytes)).rejects.toMatchObject({ code: 'changed' })
  await expect(all(bytesOf(link, '/none'))).rejects.toBeInstanceOf(FileRefused)
  become({ status: { name: 'refused', result: 1, message: 'This device is not online' }, channel: null })
  await expect(all(bytesOf(link, '/a'))).rejects.toEqual(new SessionOver('This device is not online'))
})

test('everything below a folder is found, and what no archive should have is left out', async () => {
  const one = Buffer.from('1')
  const { link } = device({ '/d/a/1': one, '/d/a/2': one, '/d/a/3': one, '/d/b': one, '/d/c:d': one, '/d/e.': one })
  const chosen = [
    { name: 'd', type: 'folder' as const, size: null },
    { name: 'l', type: 'other' as const, size: null },
    { name: '..', type: 'folder' as const, size: null },
  ]
  const found: string[] = []
  for await (const each of walk(link, '/', chosen))
    found.push(each.kind === 'left_out' ? `- ${each.path}` : each.steps.join('/'))
  expect(found).toEqual(['d', 'd/a', 'd/a/1', 'd/a/2', 'd/a/3', 'd/b', '- /d/c:d', '- /d/e.', '- /l', '- /..'])
})

test('a device that names what leads out of a folder is asked nothing more', async () => {
  const { link } = device({ '/d/..': Buffer.from('1'), '/a': Buffer.from('1') })
  await expect(all(bytesOf(link, '/a'))).resolves.toHaveLength(1)
  const walked = walk(link, '/', [{ name: 'd', type: 'folder', size: null }])
  await walked.next()
  await expect(walked.next()).rejects.toMatchObject({ code: 'bad_answer' })
  await expect(all(bytesOf(link, '/a'))).rejects.toMatchObject({ code: 'bad_answer' })
})

test('what is put goes on where the device has it after a dropped link, and is told as it arrives', async () => {
  const content = randomBytes(25 * piece + 9)
  const { link, stats } = device({}, [6, 12])
  const told: number[] = []
  const file = { file: new Blob([content]), name: 'a', path: '/' }
  await putFile(link, file, (there) => told.push(there), new AbortController().signal)
  expect(stats.placed?.equals(content)).toBe(true)
  expect(stats.tunnels).toBe(3)
  expect(stats.most_unanswered).toBeLessThanOrEqual(questions_at_once)
  expect(told.at(-1)).toBe(content.length)
  expect(told).toEqual(told.toSorted((a, b) => a - b))
})

test('only what lists and reads changes nothing', () => {
  const put = { path: '/', name: 'a', size: 1, sha256: 'a'.repeat(64) }
  expect(changesFiles({ id: 1, list: { path: '/' } })).toBe(false)
  expect(changesFiles({ id: 1, read: { path: '/', offset: 0, length: 1 } })).toBe(false)
  expect(changesFiles({ id: 1, put })).toBe(true)
  expect(changesFiles({ id: 1, make_folder: { path: '/a' } })).toBe(true)
})
