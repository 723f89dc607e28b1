import { Form } from 'antd'
import type { FormInstance } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { constants } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { LimitInput } from '../../shared/accounts/limits.tsx'
import { isUnlimited } from '../../shared/accounts/quota.ts'
import { Field } from '../../ui/form/form.tsx'
import { useCount } from '../../ui/value/format.ts'
import { useSession } from '../../core/session.tsx'
import type { Edited } from './SubAccountForm.tsx'

/** More than this is not asked of the server: what is left tells it. */
const most_asked = 1_000_000

/** Its share of the devices of the account above, and what that one has left, while it is typed. */
export function Places({ form, edited }: { form: FormInstance; edited: Edited | undefined }) {
  const { t } = useTranslation(['sub-account', 'accounts'])
  const count = useCount()
  const { account_kid } = useSession()
  const wanted = useSettled(Form.useWatch<number | null | undefined>('terminal_max', form) ?? 0)
  const num = wanted > most_asked ? 0 : wanted
  const query = useCall(
    api.account.check_inventory,
    // What is edited gives its own share back first.
    { num, ...(edited && { parent_kid: account_kid, src_kid: edited.kid }) },
    { keepPrevious: true },
  )
  const { remaining } = query.data ?? {}
  const used = edited?.terminal_count ?? 0
  const is_endless = remaining !== undefined && isUnlimited(remaining + used)

  // What was typed before the answer came is looked at again with it.
  useEffect(() => {
    if (remaining !== undefined && form.isFieldTouched('terminal_max')) {
      void form.validateFields(['terminal_max']).catch(() => undefined)
    }
  }, [remaining, form])

  const check = (_rule: unknown, value: number | null) => {
    if ((value ?? 0) < used) return Promise.reject(new Error(t('places.below_use', { shown: count(used) })))
    if (remaining !== undefined && !is_endless && (value ?? 0) > remaining)
      return Promise.reject(new Error(t('places.beyond', { shown: count(remaining) })))
    return Promise.resolve()
  }
  const left = Math.max(0, (remaining ?? 0) - wanted)
  return (
    <Field
      name="terminal_max"
      label={t('accounts:devices')}
      rules={[{ validator: check }]}
      extra={
        <span role="status">
          {query.error && t('places.unknown')}
          {is_endless && t('places.endless')}
          {remaining !== undefined && !is_endless && t('places.left', { left: count(left), most: count(remaining) })}
          {used > 0 && ` ${t('places.in_use', { count: used, shown: count(used) })}`}
        </span>
      }
    >
      <LimitInput no_limit={is_endless ? constants.unlimited_devices : undefined} start={Math.max(used, 10)} />
    </Field>
  )
}

/** A number once typing has paused. */
function useSettled(value: number): number {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), constants.debounce_ms)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
