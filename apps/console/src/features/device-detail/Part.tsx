import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { OrDash } from '../../ui/value/values.tsx'

type Row = readonly [label: string, value: ReactNode]
type Props = {
  title: string
  /** What one looks at first: a gauge, a level. */
  lead?: ReactNode
  rows: readonly Row[]
  /** The device has not said anything about it. */
  is_empty?: boolean
  /** Below the lines. */
  children?: ReactNode
}

/** One subject of the information page. Lines, no box. */
export function Part({ title, lead, rows, is_empty, children }: Props) {
  const { t } = useTranslation('device-detail')
  return (
    <section className="part" aria-label={title}>
      <h2>{title}</h2>
      {is_empty ? (
        <p className="dim">{t('part.none')}</p>
      ) : (
        <>
          {lead && <div className="part-lead">{lead}</div>}
          <dl>
            {rows.map(([label, value]) => (
              <div key={label}>
                <dt>{label}</dt>
                <dd>
                  <OrDash>{value}</OrDash>
                </dd>
              </div>
            ))}
          </dl>
          {children}
        </>
      )}
    </section>
  )
}
