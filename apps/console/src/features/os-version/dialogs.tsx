import { useTranslation } from 'react-i18next'
import type { OsVersionRow } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { TakeOffline } from '../../shared/os-offline/TakeOffline.tsx'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import { useCount } from '../../ui/value/format.ts'

type Version = Pick<OsVersionRow, 'kid' | 'os_version'>
type Props = { version: Version; onClose: () => void; leave?: () => unknown }

export function TakeVersionOffline({ version, onClose }: Props) {
  const { t } = useTranslation('os-version')
  const count = useCount()
  return (
    <TakeOffline
      calls={api.opsOsVersion}
      version={version}
      says={({ customers, tasks, devices }) =>
        t('offline.pushing', {
          count: customers,
          shown: count(customers),
          tasks: count(tasks),
          devices: count(devices),
        })
      }
      onClose={onClose}
    />
  )
}

export function DeleteVersion({ version, onClose, leave }: Props) {
  const { t } = useTranslation('os-version')
  return (
    <ConfirmWrite
      call={api.opsOsVersion.delete}
      input={{ kid: version.kid }}
      title={t('delete.title', { version: version.os_version })}
      submit={t('delete.submit')}
      done={t('delete.done')}
      word="DELETE"
      onClose={onClose}
      {...(leave && { leave })}
    >
      <p>{t('delete.what')}</p>
    </ConfirmWrite>
  )
}
