import { Button, Checkbox, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { RemoteSession, RemoteSettings } from '@mdm/contract'
import { api, useCall } from '../../../core/api.ts'
import { link } from '../../../core/links.ts'
import { May, useMay, useSession } from '../../../core/session.tsx'
import { DisabledReason } from '../../../ui/dialog/DisabledReason.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { Ago } from '../../../ui/value/values.tsx'
import type { ShownKind } from '../RemotePage.tsx'
import type { RemoteDevice } from '../use-remote-device.ts'

export type How = { session_kid?: string; view_only: boolean; asks_consent: boolean }
type Props = {
  kind: ShownKind
  device: RemoteDevice & { is_pending: boolean }
  settings: RemoteSettings
  onOpen: (how: How) => void
}

/** Before anything is opened: what will happen, and who is there already. Nobody's screen is shown because a tab was chosen. */
export function Start({ kind, device, settings, onOpen }: Props) {
  const { t } = useTranslation('remote')
  const may_control = useMay('deviceDetailRemote:control')
  const [view_only, setViewOnly] = useState(!may_control)
  // Nobody is asked for a log, which shows nothing of what somebody does.
  const consent = kind === 'log' && settings.consent === 'ask' ? 'notify' : settings.consent
  const is_off = kind === 'terminal' && !settings.terminal
  const is_offered = device.kinds?.includes(kind) ?? true
  const disabled_reason = is_off
    ? t('why_not.terminal_off')
    : device.is_online === false
      ? t('why_not.offline')
      : is_offered
        ? undefined
        : t(`why_not.not_offered.${kind}`)
  return (
    <div className="remote-start">
      <section aria-label={t(`open.${kind}`)}>
        <h2>{t(`open.${kind}`)}</h2>
        <p>{t(`start.${kind}`)}</p>
        <ul className="dim">
          <li>{t(`consent_told.${consent}`)}</li>
          {kind === 'terminal' && <li>{t('told.recorded')}</li>}
          {kind === 'desktop' && settings.record_desktop && <li>{t('told.recorded')}</li>}
          {kind === 'desktop' && !settings.clipboard && <li>{t('told.no_clipboard')}</li>}
          <li>{t('told.two_hours')}</li>
        </ul>
        <div className="remote-start-acts">
          <DisabledReason disabled_reason={disabled_reason}>
            <Button
              type="primary"
              size="large"
              disabled={disabled_reason !== undefined}
              onClick={() => onOpen({ view_only, asks_consent: consent === 'ask' })}
            >
              {t(`open.${kind}`)}
            </Button>
          </DisabledReason>
          {kind === 'desktop' && (
            <DisabledReason disabled_reason={may_control ? undefined : t('why_not.may_not_control')}>
              <Checkbox
                checked={view_only}
                disabled={!may_control}
                onChange={({ target }) => setViewOnly(target.checked)}
              >
                {t('view_only')}
              </Checkbox>
            </DisabledReason>
          )}
          {disabled_reason && <span className="warn">{disabled_reason}</span>}
          {is_off && (
            <May needs="remoteSessionList:settings">
              <Link to={`${link.remoteSessionList.to()}?dialog=settings`}>{t('to_settings')}</Link>
            </May>
          )}
        </div>
      </section>
      <OpenSessions kind={kind} device={device} onJoin={(how) => onOpen({ ...how, view_only: !may_control })} />
    </div>
  )
}

function OpenSessions({
  kind,
  device,
  onJoin,
}: {
  kind: ShownKind
  device: RemoteDevice
  onJoin: (how: { session_kid: string; asks_consent: boolean }) => void
}) {
  const { t } = useTranslation('remote')
  const { user_kid } = useSession()
  const may_page = useMay('deviceDetailRemote')
  const query = useCall(
    api.terminalRemote.paging,
    { terminal_kid: device.kid, kind, is_open: true, page_size: 20 },
    { enabled: device.kid !== '' && may_page },
  )
  if (query.error) return <Failure error={query.error} retry={query.refetch} is_line />
  if (may_page && query.isPending) return <Skeleton active title={false} paragraph={{ rows: 2 }} />
  const open: readonly RemoteSession[] = query.data?.items ?? []
  if (open.length === 0) return null
  return (
    <section aria-label={t('open_now.title')}>
      <h2>{t('open_now.title')}</h2>
      <ul className="remote-people">
        {open.map((session) => (
          <li key={session.kid}>
            <span>
              <bdi>{session.created_by}</bdi>
              {session.created_by_kid === user_kid && <span className="dim"> {t('people.you')}</span>}
              <span className="dim remote-since">
                <Ago at={session.created_at} />
                {' · '}
                {t('open_now.viewers', { count: session.viewers.filter(({ left_at }) => left_at === null).length })}
              </span>
            </span>
            <Button
              aria-label={t('open_now.join_of', { name: session.created_by })}
              onClick={() =>
                onJoin({
                  session_kid: session.kid,
                  // Who was let in once is not asked about again.
                  asks_consent:
                    session.consent === 'ask' && !session.viewers.some((viewer) => viewer.user_kid === user_kid),
                })
              }
            >
              {t('open_now.join')}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
