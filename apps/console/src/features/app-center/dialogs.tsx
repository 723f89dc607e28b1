import { Radio } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { App, AppVersion } from '@mdm/contract'
import { useCall } from '../../core/api.ts'
import { useMay } from '../../core/session.tsx'
import { useCount } from '../../ui/value/format.ts'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import { Consequences } from '../../ui/dialog/Consequences.tsx'
import { appSides } from './sides.ts'
import type { AppSide } from './sides.ts'

type Props = { side: AppSide; app: Pick<App, 'kid' | 'name'>; onClose: () => void }

export function EnlistApp({ side, app, onClose }: Props) {
  const { t } = useTranslation('app-center')
  return (
    <ConfirmWrite
      call={appSides[side].calls.enlist}
      input={{ kid: app.kid }}
      title={t('enlist.title', { name: app.name })}
      submit={t('enlist.submit')}
      done={t('enlist.done', { name: app.name })}
      onClose={onClose}
    >
      <p>{t(side === 'platform' ? 'enlist.what_platform' : 'enlist.what')}</p>
    </ConfirmWrite>
  )
}

/** Asks what becomes of pushes that are on their way, where there are any. */
export function DelistApp({ side, app, onClose }: Props) {
  const { t } = useTranslation('app-center')
  const count = useCount()
  const { calls, needs } = appSides[side]
  const open = useCall(calls.open_tasks, { kid: app.kid }, { fresh: true })
  const may_cancel = useMay(needs.cancel)
  const [choice, setChoice] = useState<'cancel' | 'keep'>('keep')
  const is_pushed = (open.data?.tasks ?? 0) > 0
  return (
    <ConfirmWrite
      call={calls.delist}
      input={{ kid: app.kid, ...(is_pushed && { tasks: choice }) }}
      title={t('delist.title', { name: app.name })}
      submit={t('delist.submit')}
      done={t('delist.done', { name: app.name })}
      also={['push_task']}
      onClose={onClose}
    >
      <p>{t(side === 'platform' ? 'delist.what_platform' : 'delist.what')}</p>
      <Consequences of={open} rows={5}>
        {({ tasks, devices, customers }) =>
          tasks === 0 ? (
            <p>{t('delist.no_open')}</p>
          ) : (
            <>
              <p>
                {t(side === 'platform' ? 'delist.open_platform' : 'delist.open', {
                  count: tasks,
                  shown: count(tasks),
                  devices: count(devices),
                  customers: count(customers),
                })}
              </p>
              <Radio.Group
                className="app-delist-choice"
                value={choice}
                aria-label={t('delist.choice')}
                options={[
                  { value: 'keep', label: t('delist.keep') },
                  { value: 'cancel', label: t('delist.cancel'), disabled: !may_cancel },
                ]}
                onChange={({ target }) => setChoice(target.value as typeof choice)}
              />
            </>
          )
        }
      </Consequences>
    </ConfirmWrite>
  )
}

export function DeleteApp({ side, app, onClose, leave }: Props & { leave?: () => unknown }) {
  const { t } = useTranslation('app-center')
  return (
    <ConfirmWrite
      call={appSides[side].calls.delete}
      input={{ kid: app.kid }}
      title={t('delete.title', { name: app.name })}
      submit={t('delete.submit')}
      done={t('delete.done', { name: app.name })}
      word="DELETE"
      {...(leave && { leave })}
      onClose={onClose}
    >
      <p>{t('delete.what')}</p>
    </ConfirmWrite>
  )
}

type VersionProps = { side: AppSide; version: AppVersion; onClose: () => void }
const named = ({ version_name, version_code }: AppVersion) => ({ version: `${version_name} (${version_code})` })

export function OfferVersion({ side, version, onClose }: VersionProps) {
  const { t } = useTranslation('app-center')
  return (
    <ConfirmWrite
      call={appSides[side].calls.offer_version}
      input={{ kid: version.kid }}
      title={t('offer.title', named(version))}
      submit={t('offer.submit')}
      done={t('offer.done', named(version))}
      onClose={onClose}
    >
      <p>{t('offer.what')}</p>
    </ConfirmWrite>
  )
}

export function DeleteVersion({ side, version, onClose }: VersionProps) {
  const { t } = useTranslation('app-center')
  return (
    <ConfirmWrite
      call={appSides[side].calls.delete_version}
      input={{ kid: version.kid }}
      title={t('version.delete_title', named(version))}
      submit={t('version.delete_submit')}
      done={t('version.deleted', named(version))}
      onClose={onClose}
    >
      <p>{t('version.delete_what')}</p>
    </ConfirmWrite>
  )
}
