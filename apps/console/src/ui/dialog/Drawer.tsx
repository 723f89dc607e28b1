import { Drawer as Panel } from 'antd'
import type { DrawerProps } from 'antd'
import { useEffect, useRef } from 'react'
import { takeFirstFocus } from './take-focus.ts'

/** Every drawer: the focus begins at its first field, or at its title where nothing is to be filled in. Mount it only while open. */
export function Drawer({ title, ...props }: Omit<DrawerProps, 'open' | 'autoFocus'>) {
  const heading = useRef<HTMLSpanElement>(null)
  useEffect(() => takeFirstFocus(() => heading.current), [])
  return (
    <Panel
      {...props}
      open
      autoFocus={false}
      title={
        <span ref={heading} tabIndex={-1} className="drawer-heading">
          {title}
        </span>
      }
    />
  )
}
