import { Dropdown } from 'antd'
import type { DropdownProps } from 'antd'

type Props = Omit<DropdownProps, 'autoFocus' | 'destroyOnHidden' | 'trigger'>
/**
 * The menu of a button: opened by a click or by Enter, which takes the focus to its first item. One that were kept
 * would begin with the item that was chosen last, which may be impossible by now.
 */
export function DropMenu(props: Props) {
  return <Dropdown {...props} autoFocus destroyOnHidden trigger={['click']} />
}
