/** What the browser does with a page. */
export type PageEvents = {
  /** The page is put to sleep, and may be woken. Nothing runs from now on. */
  on_sleep: () => void
  /** The page is closed or left: this is the last that it can say. */
  on_leave: () => void
  on_wake: () => void
  on_hidden: () => void
  on_shown: (hidden_ms: number) => void
}

/** Tells what the browser does with this page. Returns what ends it. */
export function watchPage({ on_sleep, on_leave, on_wake, on_hidden, on_shown }: PageEvents): () => void {
  const ended = new AbortController()
  const { signal } = ended
  let hidden_at = document.hidden ? performance.now() : undefined
  document.addEventListener('freeze', on_sleep, { signal })
  document.addEventListener('resume', on_wake, { signal })
  window.addEventListener('pagehide', ({ persisted }) => (persisted ? on_sleep() : on_leave()), { signal })
  window.addEventListener('pageshow', ({ persisted }) => persisted && on_wake(), { signal })
  document.addEventListener(
    'visibilitychange',
    () => {
      if (document.hidden) {
        hidden_at = performance.now()
        return on_hidden()
      }
      on_shown(performance.now() - (hidden_at ?? performance.now()))
      hidden_at = undefined
    },
    { signal },
  )
  return () => ended.abort()
}

/** The newest tab is the device: two of them would be two machines with one secret. */
export function beOnlyTab(on_taken: () => void): () => void {
  const channel = new BroadcastChannel('mdm-terminal')
  channel.postMessage('mine')
  channel.onmessage = ({ data }) => {
    if (data !== 'mine') return
    channel.close()
    on_taken()
  }
  return () => channel.close()
}
