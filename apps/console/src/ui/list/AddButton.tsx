import { PlusOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import type { ButtonProps } from 'antd'
import { useNavigate } from 'react-router'
import type { Permission } from '@mdm/contract'
import { May } from '../../core/session.tsx'

type Props = Omit<ButtonProps, 'type' | 'icon'> & {
  /** Whoever does not hold it does not see the button. */
  needs?: Permission | readonly Permission[]
  /** The page where it is added; without one, `onClick` does it. */
  to?: string
}

/** The primary action of a list: one more. */
export function AddButton({ needs, to, ...button }: Props) {
  const navigate = useNavigate()
  const element = (
    <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => to && void navigate(to)} {...button} />
  )
  return needs ? <May needs={needs}>{element}</May> : element
}
