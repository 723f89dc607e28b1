import { useTranslation } from 'react-i18next'
import { constants } from '@mdm/contract'
import type { Customer } from '@mdm/contract'
import { Properties } from '../../ui/DetailPage.tsx'
import type { Property } from '../../ui/DetailPage.tsx'
import { useCount } from '../../ui/value/format.ts'
import { CopyId, DateTime } from '../../ui/value/values.tsx'
import { FormSection } from './FormSection.tsx'

export type Belonging = Pick<Customer, 'organization_kid' | 'enterprise_kid' | 'account_details'>

/** The account that somebody belongs to, with what one needs to name it in a call or to support. */
export function useBelonging({ organization_kid, enterprise_kid, account_details }: Belonging): Property[] {
  const { t } = useTranslation('accounts')
  const count = useCount()
  const { name, expire_time, terminal_count, terminal_max, created_at } = account_details
  return [
    { label: t('belonging.account'), value: name },
    { label: t('belonging.until'), value: expire_time ? <DateTime at={expire_time} /> : t('no_expiry') },
    { label: t('belonging.enterprise_kid'), value: <CopyId value={enterprise_kid} short={8} /> },
    { label: t('belonging.organization_kid'), value: <CopyId value={organization_kid} short={8} /> },
    {
      label: t('devices'),
      value:
        terminal_max === constants.unlimited_devices
          ? count(terminal_count)
          : t('belonging.devices', { used: count(terminal_count), max: count(terminal_max) }),
    },
    { label: t('belonging.created'), value: <DateTime at={created_at} /> },
  ]
}

/** The same, of whom a form edits: nothing of it can be changed there. */
export function BelongingSection({ of }: { of: Belonging }) {
  const { t } = useTranslation('accounts')
  return (
    <FormSection title={t('belonging.account')}>
      <div className="is-wide">
        <Properties of={useBelonging(of)} />
      </div>
    </FormSection>
  )
}
