import { create } from 'zustand'
import { CallFailed } from './call-failed.ts'

/** Where what was said can be looked at. */
export type NoticeLink = { to: string; text: string }
export type Notice = { id: number; tone: 'ok' | 'fail' | 'info'; text: string; link?: NoticeLink | undefined }

export const useNotices = create<{ notices: Notice[] }>(() => ({ notices: [] }))
let last = 0

function show(tone: Notice['tone'], text: string, link?: NoticeLink): void {
  const id = ++last
  useNotices.setState(({ notices }) => ({
    // The same sentence twice says nothing new.
    notices: [
      ...notices.filter((notice) => notice.text !== text || notice.link?.to !== link?.to),
      { id, tone, text, link },
    ].slice(-4),
  }))
  // A failure stays until it is dismissed: it may be the only trace of what was lost.
  // What somebody else does comes unasked, and may have a link to follow: it takes longer to see.
  if (tone !== 'fail') setTimeout(() => dismiss(id), link || tone === 'info' ? 10_000 : 5_000)
}

export const dismiss = (id: number): void =>
  useNotices.setState(({ notices }) => ({ notices: notices.filter((notice) => notice.id !== id) }))

export const notify = {
  ok: (text: string, link?: NoticeLink) => show('ok', text, link),
  info: (text: string) => show('info', text),
  fail: (error: unknown) => {
    if (error instanceof CallFailed && (error.is_silent || error.is_cancelled)) return
    show('fail', error instanceof Error ? error.message : String(error))
  },
}
