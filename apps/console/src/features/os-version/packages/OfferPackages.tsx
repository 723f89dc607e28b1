import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { OsVersionDetail } from '@mdm/contract'
import { api } from '../../../core/api.ts'
import { May } from '../../../core/session.tsx'
import { ConfirmWrite } from '../../../ui/dialog/ConfirmWrite.tsx'
import { Signing } from '../keys/Signing.tsx'

/** Differences that were added to a version that is out reach devices once they are signed as well. */
export function OfferPackages({ version }: { version: OsVersionDetail }) {
  const { t } = useTranslation('os-version')
  const [is_asking, setAsking] = useState(false)
  const [signature, setSignature] = useState('')
  const added = version.packages.filter(({ state, is_offered }) => state === 'ready' && !is_offered)
  if (added.length === 0) return null
  const { kid, os_version, ver } = version
  return (
    <section className="os-part" aria-label={t('offer.title')}>
      <p>{t('offer.added', { count: added.length })}</p>
      <May needs={['osIssueCompleteOs', 'osIssueCompleteOsEdit']}>
        <Button type="primary" onClick={() => setAsking(true)}>
          {t('offer.submit')}
        </Button>
      </May>
      {is_asking && (
        <ConfirmWrite
          call={api.opsOsVersion.offer_packages}
          input={{ kid, ...(signature.trim() !== '' && { signature: signature.trim() }) }}
          title={t('offer.question', { version: os_version })}
          submit={t('offer.submit')}
          done={t('offer.done')}
          onClose={() => setAsking(false)}
        >
          <p>{t('offer.what')}</p>
          <ul className="os-history">
            {added.map((one) => (
              <li key={one.kid}>{one.file_name}</li>
            ))}
          </ul>
          <Signing
            kid={kid}
            name={`${version.uid_code}_${os_version}_${ver}`}
            value={signature}
            onChange={setSignature}
            enabled
          />
        </ConfirmWrite>
      )}
    </section>
  )
}
