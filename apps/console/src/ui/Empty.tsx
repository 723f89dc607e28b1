import type { ReactNode } from 'react'

type Props = { title: string; hint?: string | undefined; children?: ReactNode }

/** Where there is nothing to show: what that means, and what can be done. */
export function Empty({ title, hint, children }: Props) {
  return (
    <div className="empty" role="status">
      <div className="empty-dots" aria-hidden />
      <h2>{title}</h2>
      {hint && <p>{hint}</p>}
      {children && <div className="empty-actions">{children}</div>}
    </div>
  )
}
