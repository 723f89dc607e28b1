import { create } from 'zustand'
import { api, invalidate, send } from '../../core/api.ts'
import { CallFailed, localResults } from '../../core/call-failed.ts'
import { localeOf } from '../../i18n/language.ts'
import { translate } from '../../i18n/translate.ts'
import { transfer } from '../../core/transfer.ts'
import type { Transfer } from '../../core/transfer.ts'
import { bytesParts } from '../../ui/value/format.ts'
import { sessionState, useSessionStore } from '../../core/session-store.ts'
import { useTray } from '../../core/tray.ts'
import type { Work } from '../../core/tray.ts'

type Upload = { file: File; name: string; path: string; terminal_kid: string; to: string }

/** Whether a file is on its way to the server. It outlives the page; one at a time (specification, 5). */
export const useDeviceUpload = create<{ running: Upload | null }>(() => ({ running: null }))
let moving: Transfer | undefined

const sizeText = (bytes: number): string => bytesParts(bytes, localeOf[sessionState().language]).join(' ')

/** Brings a file to the server and asks the device to fetch it. What becomes of it is in the tray. */
export async function sendToDevice(upload: Upload): Promise<void> {
  const { session } = sessionState()
  if (!session || useDeviceUpload.getState().running) return
  const { file, name, path, terminal_kid } = upload
  const owner = { account_kid: session.account_kid, user_kid: session.user_kid }
  const id = `device-upload-${crypto.randomUUID()}`
  let sent = 0
  const show = (patch: Partial<Work>) =>
    useTray.getState().put({ id, title: name, done: sent, total: file.size, state: 'running', to: upload.to, ...patch })
  const values = () => ({ sent: sizeText(sent), size: sizeText(file.size) })
  const cancel = () => {
    useTray.getState().remove(id)
    useDeviceUpload.setState({ running: null })
    void moving?.stop(true)
  }
  useDeviceUpload.setState({ running: upload })
  try {
    moving = transfer({
      file,
      name,
      owner,
      is_remembered: false,
      onProgress(bytes) {
        sent = bytes
        show({ cancel, detail: translate('device-detail/files:upload_detail', values()) })
      },
      onWaiting: () =>
        show({ cancel, detail: translate('device-detail/files:upload_waiting', { sent: sizeText(sent) }) }),
    })
    show({ cancel, detail: translate('device-detail/files:upload_detail', values()) })
    const upload_kid = await moving.finished
    if (sessionState().account_kid !== owner.account_kid) throw leftAccount()
    await send(api.terminalFile.upload, { terminal_kid, path, name, upload_kid })
    void invalidate(api.terminalFile.paging.group, api.terminalFile.paging.key)
    show({ state: 'done', done: file.size, detail: translate('device-detail/files:upload_asked') })
  } catch (error) {
    if (error instanceof CallFailed && error.is_silent) useTray.getState().remove(id)
    else {
      const retry = () => void sendToDevice(upload)
      show({ state: 'failed', detail: error instanceof Error ? error.message : String(error), retry })
    }
  } finally {
    moving = undefined
    useDeviceUpload.setState({ running: null })
  }
}

const leftAccount = () => new CallFailed(localResults.offline, translate('device-detail/files:upload_left'))

/** What belongs to one account is never sent while another is acted for; after signing out the server forgets it by itself. */
useSessionStore.subscribe((now, before) => {
  if (now.token === before.token && now.account_kid === before.account_kid) return
  void moving?.stop(now.token === before.token)
  useDeviceUpload.setState({ running: null })
})

addEventListener('beforeunload', (event) => {
  if (useDeviceUpload.getState().running) event.preventDefault()
})
