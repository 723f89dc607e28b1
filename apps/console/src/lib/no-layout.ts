import { vi } from 'vitest'

class NoResize {
  observe() {}
  unobserve() {}
  disconnect() {}
}

/** What antd asks for the width of the screen and of its parts, and jsdom, which lays nothing out, has not. */
export function stubLayout(): void {
  vi.stubGlobal('ResizeObserver', NoResize)
  vi.stubGlobal('matchMedia', () => ({ matches: false, addListener: () => {}, removeListener: () => {} }))
}
