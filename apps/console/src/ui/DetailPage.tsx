import { Skeleton } from 'antd'
import type { ReactNode } from 'react'
import { NavLink } from 'react-router'
import { useTranslation } from 'react-i18next'
import type { Permission } from '@mdm/contract'
import type { CallFailed } from '../core/call-failed.ts'
import { may, useSession } from '../core/session.tsx'
import { Failure } from './Failure.tsx'
import { PageHead } from './PageHead.tsx'
import { useRecordName } from './record.ts'
import { OrDash } from './value/values.tsx'

export type Property = { label: string; value: ReactNode; is_wide?: boolean }
export type Tab = { label: string; to: string; needs?: Permission }
type Props = {
  title: string
  icon?: ReactNode
  /** Beside the title: its state. */
  state?: ReactNode
  actions?: ReactNode
  /** Under the title: how it stands, in one sentence. */
  note?: ReactNode
  /** In two columns under the title. */
  properties: readonly Property[]
  /** Tabs are paths; those the person may not open are absent. */
  tabs?: readonly Tab[]
  loading: boolean
  error: CallFailed | null
  retry?: () => unknown
  /** The open tab. */
  children?: ReactNode
}

export function DetailPage(props: Props) {
  const { t } = useTranslation('common')
  useSession()
  useRecordName(props.loading || props.error ? undefined : props.title)
  if (props.error) return <Failure error={props.error} retry={props.retry} />
  const tabs = props.tabs?.filter((tab) => !tab.needs || may(tab.needs))
  return (
    <section className="detail-page">
      <PageHead title={props.title} icon={props.icon} aside={props.state}>
        {props.actions}
      </PageHead>
      {props.note && <p className="detail-note">{props.note}</p>}
      {props.loading ? <PropertiesSkeleton of={props.properties} /> : <Properties of={props.properties} />}
      {tabs && tabs.length > 0 && (
        <nav className="tabs" aria-label={t('tabs')}>
          {tabs.map((tab) => (
            <NavLink key={tab.to} to={tab.to}>
              {tab.label}
            </NavLink>
          ))}
        </nav>
      )}
      <div className="detail-body">{props.children}</div>
    </section>
  )
}

/** The names as they will stand, so that nothing below moves when the values come. */
const PropertiesSkeleton = ({ of }: { of: readonly Property[] }) => (
  <Properties
    of={of.map((property) => ({
      ...property,
      value: <Skeleton.Input active size="small" className="property-skeleton" />,
    }))}
  />
)

/** Names and values in two columns; an empty value is a dim dash. */
export function Properties({ of }: { of: readonly Property[] }) {
  return (
    <dl className="properties">
      {of.map(({ label, value, is_wide }) => (
        <div key={label} data-wide={is_wide || undefined}>
          <dt>{label}</dt>
          <dd dir="auto">
            <OrDash>{value}</OrDash>
          </dd>
        </div>
      ))}
    </dl>
  )
}
