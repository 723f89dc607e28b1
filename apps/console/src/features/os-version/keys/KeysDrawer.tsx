import { Button, Checkbox } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, useCall } from '../../../core/api.ts'
import { ConfirmWrite } from '../../../ui/dialog/ConfirmWrite.tsx'
import { DisabledReason } from '../../../ui/dialog/DisabledReason.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { StateBadge } from '../../../ui/value/StateBadge.tsx'
import { CopyId, DateTime } from '../../../ui/value/values.tsx'
import { Drawer } from '../../../ui/dialog/Drawer.tsx'
import { RegisterKey } from './RegisterKey.tsx'
import '../os-version.css'

/** The key that signs releases, and those before it. */
export function KeysDrawer({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('os-version')
  const query = useCall(api.opsOsVersion.list_key, {})
  const is_offline = query.data?.some((key) => key.is_active && key.is_offline) ?? false
  const [is_asking, setAsking] = useState(false)
  const [is_old_revoked, setRevoked] = useState(false)
  return (
    <Drawer title={t('keys.title')} size={520} onClose={onClose}>
      <p>{t('keys.what')}</p>
      {query.error && <Failure error={query.error} retry={query.refetch} is_line />}
      {query.data?.length === 0 && <p className="dim">{t('keys.none')}</p>}
      <ul className="os-history">
        {query.data?.map((key) => (
          <li key={key.kid}>
            <StateBadge tone={key.is_active ? 'good' : key.is_revoked ? 'bad' : 'quiet'}>
              {t(key.is_active ? 'keys.active' : key.is_revoked ? 'keys.revoked' : 'keys.old')}
            </StateBadge>
            <CopyId value={key.public_key} short={16} />
            {key.is_offline && <span className="dim">{t('keys.offline')}</span>}
            <span className="dim">{key.created_by}</span>
            <DateTime at={key.created_at} />
          </li>
        ))}
      </ul>
      <p className="os-note">
        <DisabledReason disabled_reason={is_offline ? t('keys.rotate_offline') : undefined}>
          <Button disabled={is_offline} onClick={() => setAsking(true)}>
            {t('keys.rotate')}
          </Button>
        </DisabledReason>
      </p>
      <RegisterKey />
      {is_asking && (
        <ConfirmWrite
          call={api.opsOsVersion.rotate_key}
          input={{ is_old_revoked }}
          title={t('keys.rotate_title')}
          submit={t('keys.rotate')}
          done={t('keys.rotated')}
          onClose={() => setAsking(false)}
        >
          <p>{t('keys.rotate_what')}</p>
          <Checkbox checked={is_old_revoked} onChange={(event) => setRevoked(event.target.checked)}>
            {t('keys.revoke')}
          </Checkbox>
        </ConfirmWrite>
      )}
    </Drawer>
  )
}
