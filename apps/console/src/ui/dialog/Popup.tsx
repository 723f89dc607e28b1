import { Popover } from 'antd'
import type { PopoverProps } from 'antd'
import { useEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import { takeFocus } from './take-focus.ts'

/** Takes the focus once it is on the screen: to its first field, choice or button. */
export function TakesFocus({ children }: { children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => takeFocus(() => box.current), [])
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
