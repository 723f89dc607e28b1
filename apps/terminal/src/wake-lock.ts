/** Keeps the screen on while it is wanted; the browser lets go of it whenever the page is hidden. */
export function openWakeLock() {
  let is_wanted = false
  let held: WakeLockSentinel | undefined
  let asking: Promise<void> | undefined
  async function take(): Promise<void> {
    held = await navigator.wakeLock.request('screen').catch(() => undefined)
    held?.addEventListener('release', () => (held = undefined))
  }
  function look(): void {
    if (!('wakeLock' in navigator) || asking) return
    if (is_wanted && !held && !document.hidden) asking = take().finally(() => (asking = undefined))
    else if (!is_wanted) void held?.release()
  }
  document.addEventListener('visibilitychange', look)
  return {
    want(wanted: boolean): void {
      if (wanted === is_wanted) return
      is_wanted = wanted
      look()
    },
  }
}
