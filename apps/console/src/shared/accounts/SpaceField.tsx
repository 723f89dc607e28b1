import { useTranslation } from 'react-i18next'
import type { DiskSpace } from '@mdm/contract'
import { UsageBar } from '../device/DeviceParts.tsx'
import { Field } from '../../ui/form/form.tsx'
import { useCount } from '../../ui/value/format.ts'
import { Bytes } from '../../ui/value/values.tsx'
import { BytesInput } from './BytesInput.tsx'
import { partOf } from './quota.ts'
import './accounts.css'

type Props = {
  name: string
  area: 'file_disk' | 'app_center'
  /** Absent of an account that is not there yet. */
  of: DiskSpace | undefined
  /** A share of the space of a customer may be left out. */
  is_share: boolean
}

/** What is set: null where the account draws on what its customer has left. */
export const spaceOf = ({ is_shared, disk_space }: DiskSpace): number | null => (is_shared ? null : disk_space)

/** What an account may store in an area, beside what it does. */
export function SpaceField({ name, area, of, is_share }: Props) {
  const { t } = useTranslation('accounts')
  const count = useCount()
  const title = t(`space.${area}`)
  const check = (_rule: unknown, value: number | null | undefined) => {
    if (!of || value === null || value === undefined || value === spaceOf(of)) return Promise.resolve()
    if (value < of.least) return Promise.reject(new Error(t('space.below_use')))
    if (of.most !== null && value > of.most) return Promise.reject(new Error(t('space.beyond')))
    return Promise.resolve()
  }
  return (
    <section className="space-part" aria-labelledby={`space-${area}`}>
      <h2 id={`space-${area}`}>
        {title}
        {of && (
          <span className="number">
            <Bytes value={of.used} />
            <span className="dim">
              {' / '}
              <Bytes value={of.disk_space} />
            </span>
          </span>
        )}
      </h2>
      {of && <UsageBar part={partOf(of.used, of.disk_space)} label={t('space.used', { name: title })} />}
      <Field
        name={name}
        label={t('space.size')}
        extra={
          <>
            {of && t(`space.${area}_items`, { count: of.item_count, shown: count(of.item_count) })}{' '}
            {is_share && t('space.shared_hint')}
          </>
        }
        rules={[...(is_share ? [] : [{ required: true, message: t('space.needed') }]), { validator: check }]}
      >
        <BytesInput label={title} placeholder={is_share ? t('space.shared') : undefined} />
      </Field>
    </section>
  )
}
