import { Radio } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { OsVersionRow } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import { useCount } from '../../ui/value/format.ts'

type Version = Pick<OsVersionRow, 'kid' | 'os_version'>
type Props = { version: Version; onClose: () => void; leave?: () => unknown }

/** "Going offline asks how many customers are pushing and offers two choices" (specification, 4). */
export function TakeOffline({ version, onClose }: Props) {
  const { t } = useTranslation('os-version')
  const count = useCount()
  const [cancels_tasks, setCancels] = useState(true)
  const { data } = useCall(api.opsOsVersion.pushing, { kid: version.kid }, { fresh: true })
  return (
    <ConfirmWrite
      call={api.opsOsVersion.take_offline}
      input={{ kid: version.kid, cancels_tasks }}
      title={t('offline.title', { version: version.os_version })}
      submit={t(cancels_tasks && data && data.tasks > 0 ? 'offline.submit_cancel' : 'offline.submit')}
      done={t('offline.done')}
      onClose={onClose}
    >
      <p>{t('offline.what')}</p>
      <p role="status">
        {data &&
          (data.tasks === 0
            ? t('offline.nobody')
            : t('offline.pushing', {
                count: data.customers,
                shown: count(data.customers),
                tasks: count(data.tasks),
                devices: count(data.devices),
              }))}
      </p>
      {data && data.tasks > 0 && (
        <Radio.Group
          aria-label={t('offline.choice')}
          value={cancels_tasks}
          onChange={(event) => setCancels(event.target.value as boolean)}
          options={[
            { value: true, label: t('offline.cancel_tasks') },
            { value: false, label: t('offline.only') },
          ]}
        />
      )}
    </ConfirmWrite>
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
