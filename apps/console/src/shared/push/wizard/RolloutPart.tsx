import { CloseOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, Checkbox, InputNumber, Segmented, Switch } from 'antd'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { pushLimits } from '@mdm/contract'
import { api, useCall } from '../../../core/api.ts'
import { ChoiceTable, choice_page_size } from '../../devices-picker/ChoiceTable.tsx'
import type { NamedDevice } from '../../devices-picker/chosen.ts'
import { DisabledReason } from '../../../ui/dialog/DisabledReason.tsx'
import { useCount } from '../../../ui/value/format.ts'
import { OrDash } from '../../../ui/value/values.tsx'
import { laterBecause, stepsOf, usual_rollout } from './draft.ts'
import type { Checked, Draft, RolloutDraft } from './draft.ts'
import { Line } from './parts.tsx'
import type { FaultOf } from './parts.tsx'

type Props = { draft: Draft; checked: Checked; fault: FaultOf; onChange: (change: Partial<Draft>) => void }
const count_usual = [10, 100]

/** All at once, or in steps of which each waits for the success of the one before. */
export function RolloutPart({ draft, checked, fault, onChange }: Props) {
  const { t } = useTranslation('push/wizard')
  const id = useId()
  const { rollout, start } = draft
  const set = (change: Partial<RolloutDraft>) => rollout && onChange({ rollout: { ...rollout, ...change } })
  const later = laterBecause(draft)
  return (
    <>
      <label className="push-switch">
        <Switch checked={rollout !== null} onChange={(is_on) => onChange({ rollout: is_on ? usual_rollout : null })} />
        <span>{t('rollout.on')}</span>
      </label>
      {rollout && (
        <>
          <StepSizes draft={draft} rollout={rollout} fault={fault} onSet={set} />
          {start !== 'recurring' && (
            <Line label={t('rollout.first')} fault={fault('rollout.picked_kids')}>
              <Checkbox checked={rollout.is_picking} onChange={(event) => set({ is_picking: event.target.checked })}>
                {t('rollout.picking')}
              </Checkbox>
              {rollout.is_picking && (
                <FirstDevices checked={checked} value={rollout.picked} onChange={(picked) => set({ picked })} />
              )}
            </Line>
          )}
          <StepBar sizes={stepsOf(draft, checked.total)} />
          <div className="push-thresholds">
            <Line
              label={t('rollout.success')}
              id={`${id}-success`}
              hint={t('rollout.success_hint')}
              fault={fault('rollout.success_percent')}
            >
              <InputNumber
                id={`${id}-success`}
                min={0}
                max={100}
                precision={0}
                suffix="%"
                value={rollout.success_percent}
                onChange={(success_percent) => set({ success_percent })}
              />
            </Line>
            <Line
              label={t('rollout.error')}
              id={`${id}-error`}
              hint={t('rollout.error_hint')}
              fault={fault('rollout.error_percent')}
            >
              <InputNumber
                id={`${id}-error`}
                min={1}
                max={100}
                precision={0}
                suffix="%"
                value={rollout.error_percent}
                onChange={(error_percent) => set({ error_percent })}
              />
            </Line>
          </div>
          <Line label={t('rollout.later')}>
            <DisabledReason because={later && t(`rollout.later_because.${later}`)}>
              <Checkbox
                disabled={later !== undefined}
                checked={rollout.takes_later && later === undefined}
                onChange={(event) => set({ takes_later: event.target.checked })}
              >
                {t('rollout.takes_later')}
              </Checkbox>
            </DisabledReason>
          </Line>
        </>
      )}
    </>
  )
}

type SizesProps = {
  draft: Draft
  rollout: RolloutDraft
  fault: FaultOf
  onSet: (change: Partial<RolloutDraft>) => void
}
function StepSizes({ draft, rollout: { unit, sizes, is_picking }, fault, onSet }: SizesProps) {
  const { t } = useTranslation('push/wizard')
  const put = (at: number, size: number | null) => onSet({ sizes: sizes.map((each, of) => (of === at ? size : each)) })
  const is_full = sizes.length >= pushLimits.steps
  const is_last = sizes.length <= 1 && !(is_picking && draft.start !== 'recurring')
  return (
    <Line label={t('rollout.steps')} hint={t(`rollout.steps_hint.${unit}`)} fault={fault('rollout.steps')}>
      <Segmented<RolloutDraft['unit']>
        size="small"
        aria-label={t('rollout.unit')}
        value={unit}
        options={(['percent', 'count'] as const).map((value) => ({ value, label: t(`rollout.units.${value}`) }))}
        onChange={(value) => onSet({ unit: value, sizes: value === 'percent' ? usual_rollout.sizes : count_usual })}
      />
      <div className="push-steps">
        {sizes.map((size, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- a step is its place
          <span key={at} className="push-step">
            <InputNumber
              aria-label={t('rollout.step', { step: at + 1 })}
              min={1}
              max={unit === 'percent' ? 100 : 1_000_000}
              precision={0}
              suffix={unit === 'percent' ? '%' : undefined}
              value={size}
              onChange={(value) => put(at, value)}
            />
            <Button
              type="text"
              size="small"
              icon={<CloseOutlined aria-hidden />}
              aria-label={t('rollout.remove', { step: at + 1 })}
              disabled={is_last}
              onClick={() => onSet({ sizes: sizes.filter((_, of) => of !== at) })}
            />
          </span>
        ))}
        <Button
          size="small"
          icon={<PlusOutlined aria-hidden />}
          disabled={is_full}
          onClick={() => onSet({ sizes: [...sizes, null] })}
        >
          {t('rollout.add')}
        </Button>
      </div>
    </Line>
  )
}

/** How many devices each step has, of those that the check found. */
function StepBar({ sizes }: { sizes: readonly number[] }) {
  const { t } = useTranslation('push/wizard')
  const count = useCount()
  if (sizes.length === 0) return null
  return (
    <ol className="push-step-bar" aria-label={t('rollout.of_now')}>
      {sizes.map((size, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- a step is its place
        <li key={at} style={{ flexGrow: size }}>
          <span className="dim">{t('rollout.step', { step: at + 1 })}</span>
          <strong>{count(size)}</strong>
        </li>
      ))}
    </ol>
  )
}

type FirstProps = {
  checked: Checked
  value: readonly NamedDevice[]
  onChange: (picked: readonly NamedDevice[]) => void
}
/** Devices of the push that come before all others. */
function FirstDevices({ checked, value, onChange }: FirstProps) {
  const { t } = useTranslation(['push/wizard', 'devices-picker'])
  const count = useCount()
  const [page, setPage] = useState(1)
  const query = useCall(
    api.pushTask.paging_preview,
    { preview_kid: checked.kid, is_left_out: false, page, page_size: choice_page_size },
    { keepPrevious: true },
  )
  const data = query.data && {
    ...query.data,
    items: query.data.items.map(({ terminal_kid, sn, name }) => ({ kid: terminal_kid, sn, name })),
  }
  return (
    <ChoiceTable<NamedDevice>
      label={t('rollout.first')}
      query={{ ...query, data } as never}
      page={page}
      onPage={setPage}
      value={value}
      onChange={onChange}
      max={pushLimits.picked}
      chosen={(number) => t('devices-picker:chosen', { count: number, shown: count(number) })}
      full={t('rollout.picked_full', { max: count(pushLimits.picked) })}
      empty={t('devices-picker:none_match')}
      nameOf={({ sn, name }) => name || sn}
      columns={[
        { key: 'sn', title: t('devices-picker:sn'), render: (_, row) => <code>{row.sn}</code> },
        { key: 'name', title: t('devices-picker:alias'), render: (_, row) => <OrDash>{row.name}</OrDash> },
      ]}
    />
  )
}
