import { makeZip } from 'client-zip'
import { api, invalidate, send } from '../../../../core/api.ts'
import { useSessionStore } from '../../../../core/session-store.ts'
import { useTray } from '../../../../core/tray.ts'
import type { Work } from '../../../../core/tray.ts'
import { listText, sentences } from '../../../../i18n/list-text.ts'
import { translate } from '../../../../i18n/translate.ts'
import { tidyFileName } from '@mdm/contract/file-names.ts'
import type { Found } from '../../../../shared/upload/folder-drop.ts'
import { connectionOf } from '../../../remote/public.ts'
import { pathOf, visibleName } from '../device-names.ts'
import { fileLink, FileRefused, SessionOver } from './file-link.ts'
import type { FileLink } from './file-link.ts'
import { keepDownload, TooLarge } from './keep-download.ts'
import { putFile } from './put-file.ts'
import { bytesOf, walk } from './read-files.ts'
import type { Source } from './read-files.ts'

type Where = { kid: string; path: string; to: string }
type Job = { title: string; total: number | null; to: string; work: (parts: Parts) => Promise<string> }
type Parts = { link: FileLink; signal: AbortSignal; moved: (bytes: number) => void }

const running = new Set<AbortController>()
const codes = new Set([
  'not_found',
  'bad_path',
  'too_large',
  'no_space',
  'not_kept',
  'hash_mismatch',
  'bad_answer',
  'changed',
  'permission_missing',
  'exists',
] as const)
type Code = typeof codes extends Set<infer C> ? C : never
const isCode = (code: string): code is Code => (codes as Set<string>).has(code)

function reasonOf(error: unknown): string {
  if (error instanceof FileRefused)
    return translate(`device-detail/files:code.${isCode(error.code) ? error.code : 'unknown'}`)
  if (error instanceof TooLarge) return translate('device-detail/files:bulk.too_large_here')
  if (error instanceof SessionOver) return error.message || translate('device-detail/files:bulk.session_over')
  return error instanceof Error ? error.message : String(error)
}

/** Runs with a session of its own, which ends with it. What becomes of it is in the tray, which outlives the page. */
async function run(kid: string, job: Job): Promise<void> {
  const controller = new AbortController()
  const { signal } = controller
  const id = `device-files-${crypto.randomUUID()}`
  let done = 0
  const show = (patch: Partial<Work>) =>
    useTray.getState().put({ id, title: job.title, done, total: job.total, state: 'running', to: job.to, ...patch })
  const cancel = () => controller.abort()
  running.add(controller)
  show({ cancel })
  const connection = connectionOf({ kind: 'files', terminal_kid: kid, view_only: false, asks_consent: false })
  const link = fileLink(connection)
  signal.addEventListener('abort', () => link.close())
  const stop = connection.subscribe(() => {
    if (connection.current().status.name === 'reconnecting')
      show({ cancel, detail: translate('device-detail/files:bulk.waiting') })
  })
  connection.start()
  try {
    const detail = await job.work({
      link,
      signal,
      moved(bytes) {
        done += bytes
        show({ cancel })
      },
    })
    show({ state: 'done', done: job.total ?? done, total: job.total ?? done, detail })
  } catch (error) {
    if (signal.aborted) useTray.getState().remove(id)
    else
      show({
        state: 'failed',
        detail: reasonOf(error),
        retry: () => (useTray.getState().remove(id), void run(kid, job)),
      })
  } finally {
    running.delete(controller)
    stop()
    link.close()
    const session_kid = connection.current().session?.kid
    connection.leave()
    // One that is not ended here ends by itself when nobody comes back to it.
    if (session_kid) void send(api.terminalRemote.end, { kids: [session_kid] }).catch(() => {})
  }
}

const leftOut = (paths: readonly string[]): string =>
  paths.length === 0
    ? ''
    : translate('device-detail/files:bulk.left_out', {
        count: paths.length,
        names: listText(paths.slice(0, 3).map(visibleName)),
      })

/** One file as it is; several, or folders, as a ZIP. */
export function downloadFiles({ kid, path, to }: Where, chosen: readonly Source[], archive: string): Promise<void> {
  const [only] = chosen
  if (only && chosen.length === 1 && only.type === 'file') {
    const title = visibleName(only.name)
    return run(kid, {
      title,
      total: only.size,
      to,
      async work({ link, moved }) {
        await keepDownload(title, counted(bytesOf(link, pathOf(path, only.name)), moved))
        return translate('device-detail/files:bulk.saved')
      },
    })
  }
  return run(kid, {
    title: archive,
    total: null,
    to,
    async work({ link, moved }) {
      const left_out: string[] = []
      await keepDownload(archive, chunksOf(makeZip(entries(link, path, chosen, left_out, moved))))
      return sentences(translate('device-detail/files:bulk.saved'), leftOut(left_out))
    },
  })
}

async function* counted(bytes: AsyncIterable<Uint8Array<ArrayBuffer>>, moved: (bytes: number) => void) {
  for await (const each of bytes) {
    moved(each.length)
    yield each
  }
}

/** What is gone or may not be read by the time that its turn comes is left out, and named; what breaks in the middle ends all. */
async function* entries(
  link: FileLink,
  folder: string,
  chosen: readonly Source[],
  left_out: string[],
  moved: (bytes: number) => void,
) {
  for await (const each of walk(link, folder, chosen)) {
    if (each.kind === 'left_out') left_out.push(each.path)
    else if (each.kind === 'folder') yield { name: `${each.steps.join('/')}/` }
    else {
      const bytes = counted(bytesOf(link, each.path), moved)
      try {
        const first = await bytes.next()
        yield { name: each.steps.join('/'), input: rest(first, bytes) }
      } catch (error) {
        if (!(error instanceof FileRefused) || error.code === 'changed') throw error
        left_out.push(each.path)
      }
    }
  }
}

async function* rest(first: IteratorResult<Uint8Array<ArrayBuffer>>, more: AsyncGenerator<Uint8Array<ArrayBuffer>>) {
  if (first.done) return
  yield first.value
  yield* more
}

/** Safari lets nobody iterate over a stream. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = stream.getReader()
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read())
      yield read.value as Uint8Array<ArrayBuffer>
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** Files, with the folders that they were in, into a folder of the device; folders without files are made as well. */
export function uploadFiles(
  { kid, path, to }: Where,
  found: readonly Found[],
  empty: readonly string[][],
): Promise<void> {
  const [only] = found
  const title =
    only && found.length === 1 && empty.length === 0
      ? visibleName(only.file.name)
      : translate('device-detail/files:bulk.upload_title', { count: found.length })
  const total = found.reduce((sum, { file }) => sum + file.size, 0)
  return run(kid, {
    title,
    total,
    to,
    async work({ link, signal, moved }) {
      for (const { file, folders } of found) {
        let there = 0
        const target = folders.reduce((at, name) => pathOf(at, tidyFileName(name)), path)
        await putFile(
          link,
          { file, name: tidyFileName(file.name), path: target },
          (bytes) => {
            moved(bytes - there)
            there = bytes
          },
          signal,
        )
      }
      for (const steps of empty)
        for (let at = 1; at <= steps.length; at++)
          await link
            .ask({ make_folder: { path: steps.slice(0, at).reduce((p, name) => pathOf(p, tidyFileName(name)), path) } })
            .catch((error: unknown) => {
              if (!(error instanceof FileRefused) || error.code !== 'exists') throw error
            })
      await invalidate(api.terminalFile.list.group, api.terminalFile.list.key)
      return translate('device-detail/files:bulk.on_device', { count: found.length })
    },
  })
}

/** What belongs to one account is never moved while another is acted for. */
useSessionStore.subscribe((now, before) => {
  if (now.token === before.token && now.account_kid === before.account_kid) return
  for (const controller of running) controller.abort()
})
addEventListener('beforeunload', (event) => {
  if (running.size > 0) event.preventDefault()
})
