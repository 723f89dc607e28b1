const reachable = 'input,select,textarea,button,a[href],[role^=menuitem],[tabindex="0"]:not([role=menu])'
/** What has not come to the screen after so many frames will not come. */
const frames_max = 60

/** Focuses `wanted`, or the first field, choice or button in the box; returns what gives that up. */
export function takeFocus(boxNow: () => HTMLElement | null, wanted?: HTMLElement): () => void {
  let frame = 0
  const take = (left: number) => {
    const box = boxNow()
    if (box?.contains(document.activeElement)) return
    const first = [...(box?.querySelectorAll<HTMLElement>(reachable) ?? [])].find(
      (it) => !it.matches(':disabled,[aria-disabled=true]'),
    )
    ;(wanted ?? first ?? box)?.focus({ preventScroll: true })
    // What opens is made piece by piece, and hidden until its place is known.
    if (left > 0 && !box?.contains(document.activeElement)) frame = requestAnimationFrame(() => take(left - 1))
  }
  take(frames_max)
  return () => cancelAnimationFrame(frame)
}

const field = ':is(input, select, textarea, button[role=switch])'
const fillable = ':not(:disabled, [readonly], [type=hidden], [type=file], .ant-table *)'
const fields = `:is(.ant-drawer-body, .ant-modal-body) ${field}${fillable}`
/** What the lock on the focus finds first. */
const top = '.ant-drawer-header, .ant-modal-header, .ant-modal-close'

/**
 * Focuses the first field of a drawer or dialog, or until there is one a dialog's first button, which is the harmless one, or
 * a drawer's title. What has the focus in it already keeps it, and whoever presses a key or clicks first is not taken away
 * from there.
 */
export function takeFirstFocus(headingNow: () => HTMLElement | null): () => void {
  let frame = 0
  const take = () => {
    const heading = headingNow()
    const box = heading?.closest<HTMLElement>('[role=dialog]')
    if (!heading || !box) return
    const rest = box.querySelector<HTMLElement>('.ant-modal-footer .ant-btn:enabled') ?? heading
    const at = document.activeElement
    if (box.contains(at) && at !== box && at !== rest && !at?.closest(top)) return stop()
    const first = [...box.querySelectorAll<HTMLElement>(fields)].find((it) => it.checkVisibility())
    first?.focus({ preventScroll: true })
    if (first && document.activeElement === first) stop()
    else if (at !== rest) rest.focus({ preventScroll: true })
  }
  // What opens is hidden until its place is known, and its fields may still be on their way.
  const observer = new MutationObserver(take)
  const often = (left: number) => {
    frame = requestAnimationFrame(() => {
      take()
      if (left > 0) often(left - 1)
    })
  }
  const stop = () => {
    cancelAnimationFrame(frame)
    frame = -1
    observer.disconnect()
    for (const each of acts) document.removeEventListener(each, stop, true)
  }
  for (const each of acts) document.addEventListener(each, stop, true)
  observer.observe(document.body, { childList: true, subtree: true })
  often(frames_max)
  return stop
}
const acts = ['keydown', 'pointerdown'] as const
