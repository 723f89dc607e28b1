import { WarningOutlined } from '@ant-design/icons'
import { useTranslation } from 'react-i18next'
import { sentences } from '../../../i18n/list-text.ts'
import { whyOutOfReach } from './reach.ts'

/** Says that no phone can reach the address which a code leads to, and how that is mended. */
export function OutOfReach({ address }: { address: string }) {
  const { t } = useTranslation('devices')
  const found = whyOutOfReach(address)
  if (!found) return null
  return (
    <p className="qr-reach" role="note">
      <WarningOutlined aria-hidden /> {sentences(t(`qr.reach.${found.why}`, { host: found.host }), t('qr.reach.mend'))}
    </p>
  )
}
