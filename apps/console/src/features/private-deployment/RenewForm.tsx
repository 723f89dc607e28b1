import { useTranslation } from 'react-i18next'
import type { ActivationRow } from '@mdm/contract'
import { api, useWrite } from '../../core/api.ts'
import { FormDrawer } from '../../ui/form/form.tsx'
import { TermFields } from './terms.tsx'
import type { Terms } from './terms.tsx'

const day_ms = 86_400_000

/** Issues another code for the same server. */
export function RenewForm({ of, onClose }: { of: ActivationRow; onClose: () => void }) {
  const { t } = useTranslation('private-deployment')
  const renew = useWrite(api.opsActivation.renew, { done: t('renew.done') })
  const { kid, name, max_accounts, max_devices, macs } = of
  const from = Math.max(Date.now(), Date.parse(of.ends_at))
  return (
    <FormDrawer<Terms>
      title={t('renew.title', { name })}
      submit={t('renew.submit')}
      initial={{ max_accounts, max_devices, macs, ends_at: new Date(from + 365 * day_ms).toISOString() }}
      loading={renew.isPending}
      submitError={renew.error}
      onSubmit={(terms) => renew.mutateAsync({ kid, ...terms })}
      onDone={onClose}
      onClose={onClose}
    >
      <p className="dim">{t('renew.what')}</p>
      <TermFields />
    </FormDrawer>
  )
}
