import { create } from 'zustand'

type Question = {
  title: string
  text?: string
  yes: string
  no?: string
  /** Something is lost by the yes: then the no is what Enter says. */
  is_danger?: boolean
}
type State = {
  open: (Question & { answer: (is_yes: boolean) => void }) | null
  /** Resolves to whether the person agreed. Shown by the shell, one at a time. */
  ask: (question: Question) => Promise<boolean>
}

export const useQuestion = create<State>((set, get) => ({
  open: null,
  ask: (question) =>
    new Promise((resolve) => {
      get().open?.answer(false)
      set({
        open: {
          ...question,
          answer: (is_yes) => {
            set({ open: null })
            resolve(is_yes)
          },
        },
      })
    }),
}))
