import { AppstoreOutlined, LinkOutlined } from '@ant-design/icons'
import type { ReactNode } from 'react'
import { pages } from '@mdm/contract'
import type { PageName } from '@mdm/contract'
import { menuIcons } from './menu-icons.tsx'

/** The icon of a page: the same in the menu, on the page and in 'Jump to'. Null is an address outside the console. */
export const pageIcon = (name: PageName | null): ReactNode =>
  name === null ? <LinkOutlined aria-hidden /> : (menuIcons[pages[name].icon ?? ''] ?? <AppstoreOutlined aria-hidden />)
