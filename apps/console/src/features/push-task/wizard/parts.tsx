import { useId } from 'react'
import type { ReactNode } from 'react'
import './wizard.css'

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
  is_required?: boolean
  children: ReactNode
}
/** A control under its label, as in the kit's forms, with what is wrong with it. */
export function Line({ label, id, hint, fault, is_required, children }: LineProps) {
  const own = useId()
  const body = (
    <>
      {children}
      {fault && (
        <p className="push-fault" role="alert">
          {fault}
        </p>
      )}
      {hint && <p className="dim">{hint}</p>}
    </>
  )
  if (id) {
    return (
      <div className="push-line" data-wrong={fault ? true : undefined}>
        <label htmlFor={id}>
          {label}
          {is_required && <span className="required" aria-hidden />}
        </label>
        {body}
      </div>
    )
  }
  return (
    <div className="push-line" role="group" aria-labelledby={own} data-wrong={fault ? true : undefined}>
      <span id={own} className="push-label">
        {label}
      </span>
      {body}
    </div>
  )
}

/** What is wrong with a field, once it is said. */
export type FaultOf = (field: string) => string | undefined
