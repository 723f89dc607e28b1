import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { holds } from '@mdm/contract'
import type { GatewayKind } from '@mdm/contract'
import { isOps, useSession } from '../../../core/session.tsx'
import { sentences } from '../../../i18n/list-text.ts'
import { enrolKinds } from './kinds.tsx'
import type { EnrolKind } from './kinds.tsx'

type Props = { onChoose: (kind: EnrolKind) => void }

/** Everything that can be enrolled, a card each. */
export function KindChooser({ onChoose }: Props) {
  const { t } = useTranslation('devices/enrolment')
  return (
    <>
      {(['devices', 'ways'] as const).map((part) => (
        <Kinds key={part} title={t(`enrol.${part}`)} kinds={enrolKinds[part]} onChoose={onChoose} />
      ))}
    </>
  )
}

function Kinds({ title, kinds, onChoose }: Props & { title: string; kinds: readonly EnrolKind[] }) {
  const { permissions } = useSession()
  const id = useId()
  return (
    <section className="kinds" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      <ul>
        {kinds
          .filter(({ needs }) => needs === undefined || holds(permissions, needs))
          .map((kind) => (
            <li key={kind.key}>
              <Kind kind={kind} onChoose={onChoose} />
            </li>
          ))}
      </ul>
    </section>
  )
}

function Kind({ kind, onChoose }: Props & { kind: EnrolKind }) {
  const { t } = useTranslation('devices/enrolment')
  const { gateways } = useSession()
  const id = useId()
  const { key, icon, gateway } = kind
  const words = (
    <>
      <span className="kind-icon" aria-hidden>
        {icon}
      </span>
      <strong id={`${id}title`}>{t(`kinds.${key}.title`)}</strong>
      <span id={`${id}text`} className="dim">
        {t(`kinds.${key}.text`)}
      </span>
    </>
  )
  if (gateway && !gateways.includes(gateway))
    return (
      <div className="kind is-off">
        {words}
        <TurnedOff gateway={gateway} />
      </div>
    )
  return (
    <button
      type="button"
      className="kind"
      aria-labelledby={`${id}title`}
      aria-describedby={`${id}text`}
      onClick={() => onChoose(kind)}
    >
      {words}
    </button>
  )
}

/** How it is turned on is said to people of the provider, whose server it is. */
function TurnedOff({ gateway }: { gateway: GatewayKind }) {
  const { t } = useTranslation('devices/enrolment')
  const setting = gateway === 'browser' ? 'MDM_BROWSER_TERMINAL' : `MDM_GATEWAY_${gateway.toUpperCase()}`
  const how = isOps(useSession()) ? t('enrol.off_how', { setting }) : t('enrol.off_ask')
  return <span className="kind-off">{sentences(t('enrol.off'), how)}</span>
}
