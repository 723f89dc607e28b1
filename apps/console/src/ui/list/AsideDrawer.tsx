import { Drawer } from 'antd'
import type { ReactNode } from 'react'

/** What stands beside a list on wide screens. */
export function AsideDrawer(props: { title: string; onClose: () => void; children: ReactNode }) {
  return (
    <Drawer open placement="left" size={300} className="aside-drawer" title={props.title} onClose={props.onClose}>
      {props.children}
    </Drawer>
  )
}
