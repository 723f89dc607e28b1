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
