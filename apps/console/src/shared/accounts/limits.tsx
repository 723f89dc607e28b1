import { Checkbox, DatePicker, InputNumber } from 'antd'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { constants } from '@mdm/contract'
import { useCount } from '../../ui/value/format.ts'
import { instantOf, pickInZone, wallOf } from '../../ui/value/wall-time.ts'
import { useZone } from '../../core/session.tsx'
import { isUnlimited } from './quota.ts'
import { renewed } from './renewal.ts'
import './accounts.css'

/** What `Field` gives to what it holds. */
type Control<T> = { id?: string; value?: T; onChange?: (value: T) => void }

/** How many devices or people, or no limit. */
export function LimitInput({
  id,
  value,
  onChange,
  no_limit,
  start,
  autoFocus,
}: Control<number | null> & {
  /** What the wire says for no limit; undefined where there has to be one. */
  no_limit: number | null | undefined
  /** Where a limit begins. */
  start: number
  autoFocus?: boolean
}) {
  const { t } = useTranslation('accounts')
  const count = useCount()
  const is_unlimited =
    no_limit === null ? value === null : no_limit !== undefined && typeof value === 'number' && isUnlimited(value)
  return (
    <span className="max-devices">
      <InputNumber
        id={id}
        autoFocus={autoFocus}
        min={0}
        max={constants.unlimited_devices}
        precision={0}
        disabled={is_unlimited}
        value={is_unlimited ? null : value}
        placeholder={is_unlimited ? t('unlimited') : undefined}
        formatter={(number) => (String(number ?? '') === '' ? '' : count(Number(number)))}
        parser={(text) => Number((text ?? '').replaceAll(/\D/g, ''))}
        onChange={(next) => onChange?.(next ?? 0)}
      />
      {no_limit !== undefined && (
        <Checkbox checked={is_unlimited} onChange={(event) => onChange?.(event.target.checked ? no_limit : start)}>
          {t('unlimited')}
        </Checkbox>
      )}
    </span>
  )
}

/** A moment in the zone of the account, or none: it never ends. */
export function ExpiryInput({ id, value, onChange }: Control<string | null>) {
  const { t } = useTranslation(['accounts', 'common'])
  const zone = useZone()
  useEffect(() => pickInZone(zone), [zone])
  const now = Date.now()
  const presets = (['days', 'year'] as const).map((by) => ({
    label: t(`renew.${by}`),
    value: () => wallOf(renewed(value ?? null, by, now, zone), zone)!,
  }))
  return (
    <DatePicker
      id={id}
      showTime
      format="YYYY/MM/DD HH:mm:ss"
      placeholder={t('never_expires')}
      presets={presets}
      value={value ? wallOf(value, zone) : null}
      onChange={(next) => onChange?.(next ? instantOf(next, zone) : null)}
      style={{ width: '100%' }}
    />
  )
}
