import { useEffect } from 'react'
import type { ReactNode } from 'react'
import { useCount } from './value/format.ts'

type Props = {
  title: string
  icon?: ReactNode
  count?: number
  /** The count is a lower bound. */
  at_least?: boolean
  /** Beside the title: a state. */
  aside?: ReactNode
  /** Actions, at the far right. */
  children?: ReactNode
}

export function PageHead({ title, icon, count, at_least, aside, children }: Props) {
  const format = useCount()
  useEffect(() => {
    document.title = `${title} · MDM`
    return () => void (document.title = 'MDM')
  }, [title])
  return (
    <header className="page-head">
      <div className="page-title">
        {icon && (
          <span className="page-icon" aria-hidden>
            {icon}
          </span>
        )}
        <h1 dir="auto">{title}</h1>
        {count !== undefined && (
          <span className="page-count">
            {format(count)}
            {at_least && '+'}
          </span>
        )}
        {aside}
      </div>
      <div className="page-actions">{children}</div>
    </header>
  )
}
