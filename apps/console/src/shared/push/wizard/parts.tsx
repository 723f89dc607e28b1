import { useId } from 'react'
import type { ReactNode } from 'react'

/** A part of a step, under its title. */
export function Part({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  const id = useId()
  return (
    <section className="push-part" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {hint && <p className="dim">{hint}</p>}
      {children}
    </section>
  )
}

type LineProps = {
  label: string
  /** Of the one control that the label names; without it the line is a group of controls. */
  id?: string
  hint?: string | undefined
  fault?: string | undefined
  children: ReactNode
}
/** A control under its label, as in the kit's forms, with what is wrong with it. */
export function Line({ label, id, hint, fault, children }: LineProps) {
  const own = useId()
  const body = (
    <>
      {children}
      {hint && <p className="dim push-hint">{hint}</p>}
      {fault && (
        <p className="push-fault" role="alert">
          {fault}
        </p>
      )}
    </>
  )
  if (id) {
    return (
      <div className="push-line">
        <label htmlFor={id}>{label}</label>
        {body}
      </div>
    )
  }
  return (
    <div className="push-line" role="group" aria-labelledby={own}>
      <span id={own} className="push-label">
        {label}
      </span>
      {body}
    </div>
  )
}
