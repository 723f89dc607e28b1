import { create } from 'zustand'
import { CallFailed } from './call-failed.ts'

export type Notice = { id: number; tone: 'ok' | 'fail' | 'info'; text: string }

export const useNotices = create<{ notices: Notice[] }>(() => ({ notices: [] }))
let last = 0

function show(tone: Notice['tone'], text: string): void {
  const id = ++last
  useNotices.setState(({ notices }) => ({
    // The same sentence twice says nothing new.
    notices: [...notices.filter((notice) => notice.text !== text), { id, tone, text }].slice(-4),
  }))
  // A failure stays until it is dismissed: it may be the only trace of what was lost.
  if (tone !== 'fail') setTimeout(() => dismiss(id), 5_000)
}

export const dismiss = (id: number): void =>
  useNotices.setState(({ notices }) => ({ notices: notices.filter((notice) => notice.id !== id) }))

export const notify = {
  ok: (text: string) => show('ok', text),
  info: (text: string) => show('info', text),
  fail: (error: unknown) => {
    if (error instanceof CallFailed && (error.is_silent || error.is_cancelled)) return
    show('fail', error instanceof Error ? error.message : String(error))
  },
}
