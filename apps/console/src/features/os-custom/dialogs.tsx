import { useTranslation } from 'react-i18next'
import type { OsBuildBrief } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { TakeOffline } from '../../shared/os-offline/TakeOffline.tsx'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import { useCount } from '../../ui/value/format.ts'
import type { BuildDialog } from './actions.ts'

type Props = { what: BuildDialog; build: OsBuildBrief; onClose: () => void }
const also = ['os_version']

/** Asks before something is done with a build. */
export function BuildQuestion({ what, build, onClose }: Props) {
  const { t } = useTranslation('os-custom')
  const version = build.os_version
  const { kid } = build
  if (what === 'release')
    return (
      <ConfirmWrite
        call={api.osCustom.release_build}
        input={{ kid }}
        also={also}
        title={t('release.title', { version })}
        submit={t('release.action')}
        done={t('release.done')}
        onClose={onClose}
      >
        {t('release.what')}
      </ConfirmWrite>
    )
  if (what === 'offline') return <TakeBuildOffline build={build} onClose={onClose} />
  if (what === 'cancel')
    return (
      <ConfirmWrite
        call={api.osCustom.cancel_build}
        input={{ kid }}
        title={t('cancel_title', { version })}
        submit={t('cancel_build')}
        dismiss={t('cancel_keep')}
        done={t('cancel_done')}
        onClose={onClose}
      >
        {t('cancel_what')}
      </ConfirmWrite>
    )
  return (
    <ConfirmWrite
      call={api.osCustom.delete_build}
      input={{ kid }}
      title={t('delete_build.title', { version })}
      submit={t('delete_build.action')}
      done={t('delete_build.done')}
      onClose={onClose}
    >
      {t('delete_build.what')}
    </ConfirmWrite>
  )
}

function TakeBuildOffline({ build, onClose }: Omit<Props, 'what'>) {
  const { t } = useTranslation('os-custom')
  const count = useCount()
  return (
    <TakeOffline
      calls={api.osCustom}
      version={build}
      also={also}
      says={({ tasks, devices }) =>
        t('offline.pushing', { count: tasks, shown: count(tasks), devices: count(devices) })
      }
      onClose={onClose}
    />
  )
}
