import { useId } from 'react'
import type { ReactNode } from 'react'
import './accounts.css'

/** One part of a long form: its name, what it is for, its fields in two columns (`className="is-wide"` takes both). */
export function FormSection({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  const id = useId()
  return (
    <section className="form-section" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {hint && <p>{hint}</p>}
      </header>
      <div className="form-fields">{children}</div>
    </section>
  )
}
