import { useId } from 'react'
import type { ReactNode } from 'react'

type Props = {
  title: string
  /** What it is for. */
  hint?: string
  /** Beside the title: its state. */
  state?: ReactNode
  actions?: ReactNode
  children?: ReactNode
}

/** One subject of the page: its name and state, what it is for, what can be done. */
export function Part({ title, hint, state, actions, children }: Props) {
  const id = useId()
  return (
    <section className="own-part" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {state}
        <div className="own-actions">{actions}</div>
      </header>
      {hint && <p className="dim own-hint">{hint}</p>}
      {children}
    </section>
  )
}
