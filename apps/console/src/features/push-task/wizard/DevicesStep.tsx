import { CheckCircleFilled, ExclamationCircleFilled } from '@ant-design/icons'
import { Button, Checkbox, InputNumber } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { listText } from '../../../i18n/list-text.ts'
import { isInability } from '@mdm/contract'
import type { PushPreview } from '@mdm/contract'
import type { CallFailed } from '../../../core/call-failed.ts'
import { DevicesPicker } from '../../../shared/devices-picker/DevicesPicker.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { useCount } from '../../../ui/value/format.ts'
import { ProgressBar } from '../../../ui/value/ProgressBar.tsx'
import { ChosenApps } from './AppsChoice.tsx'
import { getsAll, isCurrent, leftOut, workOf } from './draft.ts'
import type { Checked, Draft } from './draft.ts'
import { PreviewDrawer } from './PreviewDrawer.tsx'

const offline_days_usual = 30

type Props = {
  draft: Draft
  checked: Checked | null
  /** While very many devices are looked up. */
  listed: PushPreview['listed']
  error: CallFailed | null
  onChange: (change: Partial<Draft>) => void
}
/** Whom it is for, and who of them gets it. */
export function DevicesStep({ draft, checked, listed, error, onChange }: Props) {
  const { t } = useTranslation(['push-task/wizard', 'devices-picker'])
  const { offline_days } = draft
  const work = workOf(draft)
  const setDays = (days: number | null) => onChange({ offline_days: days })
  return (
    <div className="push-devices">
      {work.type === 'app_install' && <ChosenApps of={work.payload.apps} />}
      <DevicesPicker value={draft.devices} onChange={(devices) => onChange({ devices })} />
      <div className="push-offline-days">
        <Checkbox
          checked={offline_days !== null}
          onChange={(event) => setDays(event.target.checked ? offline_days_usual : null)}
        >
          {t('devices.offline')}
        </Checkbox>
        <InputNumber
          size="small"
          aria-label={t('devices.offline_days')}
          min={1}
          max={3650}
          precision={0}
          value={offline_days ?? offline_days_usual}
          suffix={t('devices.days')}
          onChange={(days) => days !== null && setDays(days)}
        />
      </div>
      {error && <Failure error={error} is_line />}
      <CheckLine draft={draft} checked={checked} listed={listed} />
    </div>
  )
}

/** What an agent cannot do is one number, whatever keeps it from it. */
function byWords(left_out: PushPreview['left_out']) {
  const unable = left_out.filter(({ reason }) => isInability(reason)).reduce((sum, { count }) => sum + count, 0)
  const rest = left_out.flatMap(({ reason, count }) => (isInability(reason) ? [] : [{ words: reason, count }]))
  return unable === 0 ? rest : [{ words: 'not_capable' as const, count: unable }, ...rest]
}

/** What the check has said, above the button that goes on. */
function CheckLine({ draft, checked, listed }: Pick<Props, 'draft' | 'checked' | 'listed'>) {
  const { t } = useTranslation('push-task/wizard')
  const count = useCount()
  if (listed) {
    const label = t('check.listing', { done: count(listed.done), total: count(listed.of) })
    return (
      <div className="push-check" role="status">
        <ProgressBar percent={Math.floor((listed.done / listed.of) * 100)} label={label} />
        <span className="dim">{label}</span>
      </div>
    )
  }
  if (!isCurrent(draft, checked)) {
    return (
      <div className="push-check" role="status">
        <span className="dim">{t(checked ? 'check.again' : 'check.first')}</span>
      </div>
    )
  }
  return <CheckedLine checked={checked} />
}

/** How many get it and how many are left out and why; who they are is one click away. */
export function CheckedLine({ checked }: { checked: PushPreview }) {
  const { t } = useTranslation('push-task/wizard')
  const [is_open, setOpen] = useState(false)
  const { total, missing_count } = checked
  const left = leftOut(checked)
  const is_whole = getsAll(checked)
  return (
    <>
      <div className="push-check" role="status" data-tone={is_whole ? 'good' : 'warn'}>
        {is_whole ? <CheckCircleFilled aria-hidden /> : <ExclamationCircleFilled aria-hidden />}
        <strong>{t('check.total', { count: total })}</strong>
        {left > 0 && (
          <span>
            {t('check.left_out', { count: left })}{' '}
            <span className="dim">
              ({listText(byWords(checked.left_out).map(({ words, count }) => t(`reason_count.${words}`, { count })))})
            </span>
          </span>
        )}
        {missing_count > 0 && <span>{t('check.missing', { count: missing_count })}</span>}
        <Button type="link" size="small" onClick={() => setOpen(true)}>
          {t('check.show')}
        </Button>
      </div>
      {is_open && <PreviewDrawer checked={checked} onClose={() => setOpen(false)} />}
    </>
  )
}
