import { create } from 'zustand'

/** Whether 'Jump to' is open. */
export const useJump = create<{ is_open: boolean; open: () => void; close: () => void }>((set) => ({
  is_open: false,
  open: () => set({ is_open: true }),
  close: () => set({ is_open: false }),
}))
