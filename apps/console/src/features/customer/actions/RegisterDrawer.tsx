import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { CustomerRow } from '@mdm/contract'
import { BulkDrawer } from '../../../shared/device-batch/BulkDrawer.tsx'
import { devicesOf } from '../../../shared/device-batch/sides.ts'

/** Devices for a customer, without entering its account. */
export function RegisterDrawer({ customer, onClose }: { customer: CustomerRow; onClose: () => void }) {
  const { t } = useTranslation('device-batch')
  const side = useMemo(() => devicesOf(customer.kid), [customer.kid])
  return <BulkDrawer side={side} title={t('register.title_for', { name: customer.name })} onClose={onClose} />
}
