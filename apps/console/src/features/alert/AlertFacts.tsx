import { EditOutlined } from '@ant-design/icons'
import { Button, Skeleton } from 'antd'
import { lazy, Suspense } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { pushTitles } from '@mdm/contract'
import type { Alert } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { May, useMay } from '../../core/session.tsx'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { Failure } from '../../ui/Failure.tsx'
import { Ago, Dash } from '../../ui/value/values.tsx'
import { PersonSelect } from './PersonSelect.tsx'
import type { Handling } from './use-handling.ts'
import { nobody, useOwnKid } from './use-people.ts'

const handle = 'alertList:handle'
// Leaflet is only for alerts of devices that have said where they are.
const AlertMap = lazy(() => import('./AlertMap.tsx'))

type Props = { alert: Alert; handling: Handling; onNote: () => void }

/** Who looks after an alert, what people wrote about it, and what it comes from, as links. */
export function AlertFacts({ alert, handling, onNote }: Props) {
  const { t } = useTranslation('alert')
  const origin = useCall(api.alert.get_origin, { kid: alert.kid })
  const { fences = [], pushes = [], places = [] } = origin.data ?? {}
  return (
    <>
      <dl className="alert-facts">
        <Fact label={t('column.assignee')}>
          <Assignee alert={alert} handling={handling} />
        </Fact>
        <Fact label={t('column.note')}>
          <p className="alert-note">{alert.note || <Dash />}</p>
          <May needs={handle}>
            <Button size="small" type="link" icon={<EditOutlined aria-hidden />} onClick={onNote}>
              {t('note.edit')}
            </Button>
          </May>
        </Fact>
        <Fact label={t('column.rule')}>
          <RuleLink alert={alert} />
        </Fact>
        {fences.length > 0 && (
          <Fact label={t('origin.fences')}>
            <FenceLinks fences={fences} />
          </Fact>
        )}
        {pushes.length > 0 && (
          <Fact label={t('origin.pushes')}>
            <PushLinks pushes={pushes} />
          </Fact>
        )}
      </dl>
      {origin.error && <Failure error={origin.error} retry={origin.refetch} is_line />}
      {places.length > 0 && (
        <Suspense fallback={<Skeleton active title={false} paragraph={{ rows: 6 }} />}>
          <AlertMap fences={fences} places={places} />
        </Suspense>
      )}
    </>
  )
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** Somebody else may assign it meanwhile: it is assigned as it is seen here, or not at all. */
function Assignee({ alert, handling }: Pick<Props, 'alert' | 'handling'>) {
  const { t } = useTranslation('alert')
  const may_assign = useMay(handle)
  const own_kid = useOwnKid()
  const { assignee_kid, assignee_name, state } = alert
  if (!may_assign || state === 'resolved') return assignee_name ?? t('assignee.nobody')
  const assign = (to: string) => void handling.assign([alert], to)
  return (
    <span className="alert-assignee">
      <PersonSelect
        kids={[alert.kid]}
        value={assignee_kid ?? nobody}
        name={assignee_name}
        loading={handling.is_busy}
        onChange={assign}
      />
      {own_kid && assignee_kid !== own_kid && (
        <Button size="small" onClick={() => assign(own_kid)}>
          {t('assignee.take')}
        </Button>
      )}
    </span>
  )
}

function RuleLink({ alert }: { alert: Alert }) {
  const { t } = useTranslation('alert')
  const may_see = useMay('alertRuleList')
  const { rule_name, name, rule_kid } = alert
  return (
    <>
      {rule_name !== null && may_see ? (
        <Link to={link.alertRuleList.to({ text: rule_name })}>{rule_name}</Link>
      ) : (
        (rule_name ?? `${name} ${t('origin.rule_gone')}`)
      )}
      <Link className="alert-others" to={link.alertList.to({ rule_kid })}>
        {t('origin.others')}
      </Link>
    </>
  )
}

function FenceLinks({ fences }: { fences: readonly { kid: string; name: string }[] }) {
  const may_see = useMay('electronicFenceList')
  return (
    <ul>
      {fences.map(({ kid, name }) => (
        <li key={kid}>{may_see ? <Link to={link.electronicFenceList.to({ text: name })}>{name}</Link> : name}</li>
      ))}
    </ul>
  )
}

type Push = { kid: string; type: keyof typeof pushTitles; summary: string; created_at: string; created_by: string }
function PushLinks({ pushes }: { pushes: readonly Push[] }) {
  const textOf = useTextOf()
  return (
    <ul>
      {pushes.map(({ kid, type, summary, created_at, created_by }) => (
        <li key={kid}>
          <Link to={link.pushTaskDetail.to({ kid, states: ['failed'] })}>
            {textOf(pushTitles[type])}
            {summary && `: ${summary}`}
          </Link>{' '}
          <span className="dim">
            {created_by} · <Ago at={created_at} />
          </span>
        </li>
      ))}
    </ul>
  )
}
