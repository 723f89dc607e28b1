import { create } from 'zustand'

type Jump = {
  is_open: boolean
  /** What was typed into it, also before it has been loaded. */
  typed: string
  /** Enter was pressed on it: the first answer opens. */
  is_entered: boolean
  open: () => void
  close: () => void
  type: (typed: string) => void
  enter: () => void
}

/** 'Jump to': whether it is open, and what is looked for. */
export const useJump = create<Jump>((set) => ({
  is_open: false,
  typed: '',
  is_entered: false,
  open: () => set(({ is_open }) => (is_open ? {} : { is_open: true, typed: '', is_entered: false })),
  close: () => set({ is_open: false }),
  type: (typed) => set({ typed, is_entered: false }),
  enter: () => set({ is_entered: true }),
}))
