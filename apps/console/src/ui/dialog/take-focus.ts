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
/** Where a dialog, a drawer and a form that is a page have their fields. */
const body = ':is(.ant-drawer-body, .ant-modal-body, .form-body)'
/** What the lock on the focus finds first. */
const top = '.ant-drawer-header, .ant-modal-header, .ant-modal-close'

/** True when the first field in the box has the focus. */
function takeField(box: HTMLElement): boolean {
  const first = [...box.querySelectorAll<HTMLElement>(`${body} ${field}${fillable}`)].find((it) => it.checkVisibility())
  first?.focus({ preventScroll: true })
  return first !== undefined && document.activeElement === first
}

/**
 * Focuses the first field of a drawer or dialog, or until there is one a dialog's first button, which is the harmless one, or
 * a drawer's title. What has the focus in it already keeps it, and whoever presses a key or clicks first is not taken away
 * from there.
 */
export function takeFirstFocus(headingNow: () => HTMLElement | null): () => void {
  return untilTaken(() => {
    const heading = headingNow()
    const box = heading?.closest<HTMLElement>('[role=dialog]')
    if (!heading || !box) return false
    const rest = box.querySelector<HTMLElement>('.ant-modal-footer .ant-btn:enabled') ?? heading
    const at = document.activeElement
    if (box.contains(at) && at !== box && at !== rest && !at?.closest(top)) return true
    if (takeField(box)) return true
    if (at !== rest) rest.focus({ preventScroll: true })
    return false
  })
}

/**
 * Focuses the first field of a form that is a page, unless something on the page has the focus or a dialog is over it. Not
 * where fingers type, whose keyboard would cover half of what has just come.
 */
export function takePageFocus(pageNow: () => HTMLElement | null): () => void {
  if (globalThis.matchMedia?.('(pointer: coarse)').matches) return () => undefined
  return untilTaken(() => {
    const page = pageNow()
    const at = document.activeElement
    if (!page || document.querySelector('[aria-modal=true]')) return false
    if (page.contains(at)) return true
    return takeField(page)
  })
}

/** Tries with each frame and each change of the page, until it succeeds or somebody presses a key or clicks. */
function untilTaken(take: () => boolean): () => void {
  let frame = 0
  let is_over = false
  const attempt = () => {
    if (!is_over && take()) stop()
  }
  // What opens is hidden until its place is known, and its fields may still be on their way.
  const observer = new MutationObserver(attempt)
  const often = (left: number) => {
    frame = requestAnimationFrame(() => {
      attempt()
      if (left > 0 && !is_over) often(left - 1)
    })
  }
  const stop = () => {
    is_over = true
    cancelAnimationFrame(frame)
    observer.disconnect()
    for (const each of acts) document.removeEventListener(each, stop, true)
  }
  for (const each of acts) document.addEventListener(each, stop, true)
  observer.observe(document.body, { childList: true, subtree: true })
  often(frames_max)
  return stop
}
const acts = ['keydown', 'pointerdown'] as const
