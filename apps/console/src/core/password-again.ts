import { create } from 'zustand'
import { useSessionStore } from './session-store.ts'

export type PasswordQuestion = {
  /** What was refused, in the person's language. */
  action: string
  answer: (is_confirmed: boolean) => void
}
/** Shown by the shell. */
export const usePasswordAgain = create<{ open: PasswordQuestion | null }>(() => ({ open: null }))

let asked: Promise<boolean> | undefined

/** Asks for the password again, once for all that are refused meanwhile. False: the person would rather not. */
export function askPasswordAgain(action: string): Promise<boolean> {
  asked ??= new Promise<boolean>((resolve) => {
    const before = globalThis.document?.activeElement as HTMLElement | null | undefined
    const answer = (is_confirmed: boolean) => {
      leave()
      asked = undefined
      usePasswordAgain.setState({ open: null })
      resolve(is_confirmed)
      // Once the dialog has let go of the focus.
      setTimeout(() => before?.isConnected && before.focus())
    }
    // What one person began for one account is never carried on by another person or in another account.
    const leave = useSessionStore.subscribe((now, then) => {
      if (now.token !== then.token || now.account_kid !== then.account_kid) answer(false)
    })
    usePasswordAgain.setState({ open: { action, answer } })
  })
  return asked
}
