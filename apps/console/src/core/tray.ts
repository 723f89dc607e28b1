import { create } from 'zustand'

/** A piece of long work that can be left and found again: an upload, an import, an export. */
export type Work = {
  id: string
  title: string
  /** Counts or bytes; `total` null while unknown. */
  done: number
  total: number | null
  state: 'running' | 'done' | 'failed'
  /** What begins only at a moment (by `performance.now()`): its title says how long that is. */
  countdown?: { ends_at: number; title: (left: string) => string }
  /** What failed and why, or what came of it. */
  detail?: string
  cancel?: () => void
  retry?: () => void
  /** Screen where it belongs. */
  to?: string
}
type State = {
  works: readonly Work[]
  is_open: boolean
  put: (work: Work) => void
  remove: (id: string) => void
  setOpen: (is_open: boolean) => void
}

export const useTray = create<State>((set) => ({
  works: [],
  is_open: false,
  put: (work) =>
    set(({ works }) => ({
      works: works.some(({ id }) => id === work.id)
        ? works.map((each) => (each.id === work.id ? work : each))
        : [work, ...works],
    })),
  remove: (id) => set(({ works }) => ({ works: works.filter((work) => work.id !== id) })),
  setOpen: (is_open) => set({ is_open }),
}))
