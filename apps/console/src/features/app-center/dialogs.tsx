import { useTranslation } from 'react-i18next'
import type { App, AppVersion } from '@mdm/contract'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
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

export function DelistApp({ side, app, onClose }: Props) {
  const { t } = useTranslation('app-center')
  return (
    <ConfirmWrite
      call={appSides[side].calls.delist}
      input={{ kid: app.kid }}
      title={t('delist.title', { name: app.name })}
      submit={t('delist.submit')}
      done={t('delist.done', { name: app.name })}
      onClose={onClose}
    >
      <p>{t(side === 'platform' ? 'delist.what_platform' : 'delist.what')}</p>
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
