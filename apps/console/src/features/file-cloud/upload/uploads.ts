import { errors } from '@mdm/contract'
import { create } from 'zustand'
import { sentences } from '../../../i18n/list-text.ts'
import { invalidate, send } from '../../../core/api.ts'
import { CallFailed, localResults } from '../../../core/call-failed.ts'
import { navigateTo } from '../../../core/navigation.ts'
import { localeOf } from '../../../i18n/language.ts'
import { translate } from '../../../i18n/translate.ts'
import { bytesParts, durationText } from '../../../ui/value/format.ts'
import { sessionState, useSessionStore } from '../../../core/session-store.ts'
import { useTray } from '../../../core/tray.ts'
import type { Work } from '../../../core/tray.ts'
import { transfer } from '../../../core/transfer.ts'
import type { Owner, Transfer } from '../../../core/transfer.ts'
import { TransferRate } from './transfer-rate.ts'
import { fileSides } from '../sides.ts'
import type { FileSide } from '../sides.ts'

export type Item = {
  id: string
  file: File
  name: string
  side: FileSide
  /** The folder that it is kept in; null is the top. */
  folder_kid: string | null
  is_visible: boolean
  owner: Owner
  account_name: string
  state: 'waiting' | 'running' | 'failed'
  sent: number
  /** All bytes are there; what remains is to keep them under the name. */
  upload_kid?: string
}
/** Result codes after which another name helps. */
const name_refused: readonly number[] = [errors.duplicate_name.result, errors.file_name_invalid.result]
const shown_every_ms = 250

/** Outlives the page: an upload goes on while the person works elsewhere. One at a time (specification, 5). */
export const useUploads = create<{
  items: readonly Item[]
  /** Wants another name before it can be kept. */
  renaming: Item | null
}>(() => ({ items: [], renaming: null }))

let running: { item: Item; transfer: Transfer } | undefined
let is_pumping = false

const change = (item: Item, patch: Partial<Item>): void => {
  Object.assign(item, patch)
  useUploads.setState(({ items }) => ({ items: [...items] }))
}
const drop = (item: Item): void =>
  useUploads.setState(({ items }) => ({ items: items.filter((each) => each !== item) }))

/** Adds files to the queue of the account acted for. */
export type Wanted = Pick<Item, 'file' | 'name' | 'side' | 'folder_kid' | 'is_visible'>
export function enqueue(files: readonly Wanted[]): void {
  const { session } = sessionState()
  if (!session) return
  const { account_kid, user_kid, account_name } = session
  const items = files.map(({ file, name, ...where }): Item => ({
    ...where,
    id: `upload-${crypto.getRandomValues(new Uint32Array(2)).join('-')}`,
    file,
    name: name.normalize('NFC').trim(),
    owner: { account_kid, user_kid },
    account_name,
    state: 'waiting',
    sent: 0,
  }))
  useUploads.setState((now) => ({ items: [...now.items, ...items] }))
  for (const item of [...items].reverse()) show(item, { detail: translate('file-cloud:upload.waiting') })
  void pump()
}

/** Keeps what was uploaded under another name. */
export function rename(item: Item, name: string): void {
  useUploads.setState({ renaming: null })
  change(item, { name: name.normalize('NFC').trim() })
  retry(item)
}

async function pump(): Promise<void> {
  if (is_pumping) return
  is_pumping = true
  for (;;) {
    const next = useUploads.getState().items.find(({ state }) => state === 'waiting')
    if (!next) break
    change(next, { state: 'running' })
    await work(next).catch((error: unknown) => failed(next, error))
  }
  is_pumping = false
}

async function work(item: Item): Promise<void> {
  if (sessionState().account_kid !== item.owner.account_kid) throw leftAccount(item)
  if (!item.upload_kid) {
    const kid = await sendBytes(item)
    if (!kid) return
    change(item, { upload_kid: kid })
  }
  show(item, { done: item.file.size, detail: translate('file-cloud:upload.checking') })
  if (sessionState().account_kid !== item.owner.account_kid) throw leftAccount(item)
  const { calls } = fileSides[item.side]
  const { name, folder_kid, is_visible, upload_kid = '' } = item
  await send(calls.insert, { upload_kid, name, folder_kid, is_visible })
  void invalidate(calls.insert.group)
  drop(item)
  const size = bytesText(item.file.size)
  show(item, {
    state: 'done',
    done: item.file.size,
    detail: translate('file-cloud:upload.done', { size }),
    cancel: undefined,
  })
}

/** The kid of the upload, or undefined when it was cancelled meanwhile. */
async function sendBytes(item: Item): Promise<string | undefined> {
  const rate = new TransferRate()
  let shown_at = 0
  let tell_cancel!: () => void
  const cancelled = new Promise<undefined>((resolve) => (tell_cancel = () => resolve(undefined)))
  const moving = transfer({
    file: item.file,
    name: item.name,
    owner: item.owner,
    listInterrupted: () => send(fileSides[item.side].calls.list_upload, {}),
    onProgress: (bytes) => {
      const now = performance.now()
      rate.put(now, bytes)
      item.sent = bytes
      if (now - shown_at < shown_every_ms && bytes < item.file.size) return
      shown_at = now
      const is_all = bytes === item.file.size
      show(item, { done: bytes, detail: is_all ? translate('file-cloud:upload.checking') : movingText(item, rate) })
    },
    onWaiting: () => show(item, { detail: translate('file-cloud:upload.away', { sent: bytesText(item.sent) }) }),
  })
  running = { item, transfer: { ...moving, stop: (forget) => (tell_cancel(), moving.stop(forget)) } }
  show(item, { detail: translate('file-cloud:upload.starting') })
  try {
    return await Promise.race([moving.finished, cancelled])
  } finally {
    running = undefined
  }
}

function movingText(item: Item, rate: TransferRate): string {
  const values = { sent: bytesText(item.sent), size: bytesText(item.file.size) }
  const per_second = rate.per_second
  const left = rate.secondsLeft(item.file.size)
  if (!per_second || left === undefined) return translate('file-cloud:upload.sent', values)
  const time = durationText(Math.max(1, left), sessionState().language)
  return translate('file-cloud:upload.moving', { ...values, rate: bytesText(per_second), time })
}

function failed(item: Item, error: unknown): void {
  const refusal = error instanceof CallFailed ? error : undefined
  if (refusal?.is_silent || refusal?.result === errors.unauthorized.result) return
  if (!useUploads.getState().items.includes(item)) return
  // The server has given up on the bytes; they are sent again.
  if (refusal?.result === errors.not_found.result) delete item.upload_kid
  change(item, { state: 'failed' })
  const is_name = refusal !== undefined && name_refused.includes(refusal.result)
  show(item, {
    state: 'failed',
    done: item.sent,
    detail: sentences(refusal?.message ?? String(error), is_name && translate('file-cloud:upload.rename_hint')),
    cancel: undefined,
    retry: () => (is_name ? askName(item) : retry(item)),
  })
}

/** The page of the files asks, wherever the person is now. */
function askName(item: Item): void {
  useUploads.setState({ renaming: item })
  const { list } = fileSides[item.side].links
  if (location.pathname !== list.path) void navigateTo(list.to({ folder_kid: item.folder_kid }))
}

function retry(item: Item): void {
  change(item, { state: 'waiting' })
  show(item, { detail: translate('file-cloud:upload.waiting') })
  void pump()
}

function cancel(item: Item): void {
  useTray.getState().remove(item.id)
  if (running?.item !== item) return drop(item)
  // Only then, or the list of interrupted uploads would find it again.
  void running.transfer.stop(true).then(() => drop(item))
}

function show(item: Item, patch: Partial<Work>): void {
  useTray.getState().put({
    id: item.id,
    title: item.name,
    done: item.sent,
    total: item.file.size,
    state: 'running',
    cancel: () => cancel(item),
    to: fileSides[item.side].links.list.to({ folder_kid: item.folder_kid }),
    ...patch,
  })
}

const bytesText = (bytes: number): string => bytesParts(Math.round(bytes), localeOf[sessionState().language]).join(' ')
const leftAccount = ({ account_name }: Item): CallFailed =>
  new CallFailed(localResults.offline, translate('file-cloud:upload.left_account', { account: account_name }))

/** What belongs to one account is never sent while another is acted for, and nothing after signing out. */
useSessionStore.subscribe((now, before) => {
  if (now.token === before.token && now.account_kid === before.account_kid) return
  const { items } = useUploads.getState()
  if (!now.token) {
    for (const item of items) useTray.getState().remove(item.id)
    useUploads.setState({ items: [], renaming: null })
    void running?.transfer.stop(false)
    return
  }
  if (!running || running.item.owner.account_kid === now.account_kid) return
  const { item, transfer: moving } = running
  void moving.stop(false)
  failed(item, leftAccount(item))
})

/** A failed upload that was dismissed from the tray is given up. */
useTray.subscribe(({ works }) => {
  const gone = useUploads
    .getState()
    .items.filter(({ id, state }) => state === 'failed' && !works.some((work) => work.id === id))
  for (const item of gone) drop(item)
})

addEventListener('beforeunload', (event) => {
  if (running) event.preventDefault()
})
