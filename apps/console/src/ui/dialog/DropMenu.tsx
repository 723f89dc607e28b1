import { Dropdown } from 'antd'
import type { DropdownProps } from 'antd'
import { TakesFocus } from './Popup.tsx'

type Props = Omit<DropdownProps, 'autoFocus' | 'destroyOnHidden' | 'popupRender' | 'trigger'>
/**
 * The menu of a button: opened by a click or by Enter, which takes the focus to its first item. One that were kept
 * would begin with the item that was chosen last, which may be impossible by now. Dropdown's own `autoFocus` tries once, three
 * frames after the menu opened: on a slow machine the menu has no place by then, and the arrow keys never reach it.
 */
export function DropMenu(props: Props) {
  return (
    <Dropdown {...props} destroyOnHidden popupRender={(menu) => <TakesFocus>{menu}</TakesFocus>} trigger={['click']} />
  )
}
