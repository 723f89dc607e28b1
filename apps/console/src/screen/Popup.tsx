import { Popover } from 'antd'
import type { PopoverProps } from 'antd'
import { useEffect, useRef } from 'react'
import type { ReactNode } from 'react'

const reachable = 'input,select,textarea,button,a[href],[role^=menuitem],[tabindex="0"]:not([role=menu])'
/** So many frames after it was made, what has not been placed on the screen by then will not be. */
const frames_max = 60

/** Takes the focus once it is on the screen: to its first field, choice or button. */
export function TakesFocus({ children }: { children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    let frame = 0
    const take = (left: number) => {
      const it = box.current
      if (!it || it.contains(document.activeElement)) return
      // What opens is hidden until its place is known, and cannot be focused before.
      const first = [...it.querySelectorAll<HTMLElement>(reachable)].find((each) => !each.matches(':disabled,[aria-disabled=true]')) // prettier-ignore
      ;(first ?? it).focus({ preventScroll: true })
      if (left > 0 && !it.contains(document.activeElement)) frame = requestAnimationFrame(() => take(left - 1))
    }
    take(frames_max)
    return () => cancelAnimationFrame(frame)
  }, [])
  return (
    <div ref={box} tabIndex={-1} className="takes-focus">
      {children}
    </div>
  )
}

type Props = Omit<PopoverProps, 'content'> & {
  content: ReactNode
  /** It opened by itself: the focus stays where it is. */
  is_quiet?: boolean
}
/** What opens by a button beside it: the focus goes into it, and back to the button (`useFocusReturn`). */
export function Popup({ content, is_quiet, ...rest }: Props) {
  return (
    <Popover
      trigger="click"
      arrow={false}
      destroyOnHidden
      {...rest}
      content={is_quiet ? content : <TakesFocus>{content}</TakesFocus>}
    />
  )
}
