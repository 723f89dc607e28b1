import { Button } from 'antd'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { notify } from '../../core/notices.ts'

type SaveProps = {
  icon?: ReactNode
  hint?: string
  size?: 'small'
  save: () => Promise<void>
  children: ReactNode
}
/** A file that takes a while to be made. */
export function Save({ icon, hint, size, save, children }: SaveProps) {
  const [is_loading, setLoading] = useState(false)
  const run = async () => {
    setLoading(true)
    await save().catch(notify.fail)
    setLoading(false)
  }
  return (
    <Button icon={icon} size={size ?? 'middle'} title={hint} loading={is_loading} onClick={() => void run()}>
      {children}
    </Button>
  )
}
