import { Input } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { batch_limits } from '@mdm/contract'
import { CallFailed } from '../../core/call-failed.ts'
import { Field, FormDrawer } from '../../ui/form/form.tsx'
import { useCount } from '../../ui/value/format.ts'
import type { BulkSide } from './sides.ts'

type Values = { work_order: string; sns: string }
type Props = { save: NonNullable<BulkSide['announced']>; onClose: () => void }

/** Which of the devices that wait are meant for this customer: nobody gets the codes of all of them. */
export function AnnouncedSheet({ save, onClose }: Props) {
  const { t } = useTranslation('device-batch')
  const count = useCount()
  const [error, setError] = useState<CallFailed | null>(null)
  const [is_saving, setSaving] = useState(false)
  const download = async (values: Values) => {
    setError(null)
    setSaving(true)
    const sns = listed(values.sns)
    const work_order = values.work_order.trim()
    try {
      await save({ ...(work_order && { work_order }), ...(sns.length > 0 && { sns }) })
    } catch (reason) {
      if (reason instanceof CallFailed) setError(reason)
      throw reason
    } finally {
      setSaving(false)
    }
  }
  return (
    <FormDrawer<Values>
      title={t('announced_title')}
      submit={t('announced_submit')}
      initial={{ work_order: '', sns: '' }}
      loading={is_saving}
      submitError={error}
      onSubmit={download}
      onDone={onClose}
      onClose={onClose}
    >
      <p className="dim">{t('announced_hint')}</p>
      <Field name="work_order" label={t('column.work_order')} extra={t('announced_order_hint')}>
        <Input autoFocus maxLength={batch_limits.work_order} />
      </Field>
      <Field
        name="sns"
        label={t('announced_sns')}
        extra={t('announced_sns_hint', { max: count(batch_limits.announced) })}
        dependencies={['work_order']}
        rules={[
          ({ getFieldValue }) => ({
            validator: (_rule, value: string) =>
              listed(value).length > 0 || (getFieldValue('work_order') as string).trim()
                ? Promise.resolve()
                : Promise.reject(new Error(t('announced_which'))),
          }),
        ]}
      >
        <Input.TextArea autoSize={{ minRows: 4, maxRows: 12 }} />
      </Field>
    </FormDrawer>
  )
}

/** One a line, or with commas or tabs between, as a column of a sheet is pasted. */
const listed = (text: string): string[] => [
  ...new Set(
    text
      .split(/[\n\t,;]+/)
      .map((sn) => sn.trim())
      .filter(Boolean),
  ),
]
