import type { ReactNode } from 'react'
import { Drawer } from '../dialog/Drawer.tsx'

/** What stands beside a list on wide screens. */
export function AsideDrawer(props: { title: string; onClose: () => void; children: ReactNode }) {
  return (
    <Drawer placement="left" size={300} className="aside-drawer" title={props.title} onClose={props.onClose}>
      {props.children}
    </Drawer>
  )
}
