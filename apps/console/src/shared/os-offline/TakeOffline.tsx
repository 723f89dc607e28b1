import { Radio } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Answer, Contract } from '@mdm/contract'
import { useCall } from '../../core/api.ts'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import { Consequences } from '../../ui/dialog/Consequences.tsx'

type OsVersion = Contract['opsOsVersion']['calls']
type OsBuild = Contract['osCustom']['calls']
type OsPushing = Answer<OsVersion['pushing']>

type Props = {
  calls: Pick<OsVersion, 'pushing' | 'take_offline'> | Pick<OsBuild, 'pushing' | 'take_offline'>
  version: { kid: string; os_version: string }
  also?: readonly string[]
  /** How many pushes of it are under way, in a sentence. */
  says: (pushing: OsPushing) => string
  onClose: () => void
}

/** "Going offline asks how many customers are pushing and offers two choices" (specification, 4). */
export function TakeOffline({ calls, version: { kid, os_version }, also, says, onClose }: Props) {
  const { t } = useTranslation('os-offline')
  const [cancels_tasks, setCancels] = useState(true)
  const pushing = useCall(calls.pushing, { kid }, { fresh: true })
  const is_pushed = (pushing.data?.tasks ?? 0) > 0
  return (
    <ConfirmWrite
      call={calls.take_offline}
      input={{ kid, cancels_tasks }}
      {...(also && { also })}
      title={t('title', { version: os_version })}
      submit={t(cancels_tasks && is_pushed ? 'submit_cancel' : 'submit')}
      done={t('done')}
      onClose={onClose}
    >
      <p>{t('what')}</p>
      <Consequences of={pushing} rows={3}>
        {(data) => (
          <>
            <p>{is_pushed ? says(data) : t('nobody')}</p>
            {is_pushed && (
              <Radio.Group
                aria-label={t('choice')}
                value={cancels_tasks}
                onChange={(event) => setCancels(event.target.value as boolean)}
                options={[
                  { value: true, label: t('cancel_tasks') },
                  { value: false, label: t('only') },
                ]}
              />
            )}
          </>
        )}
      </Consequences>
    </ConfirmWrite>
  )
}
