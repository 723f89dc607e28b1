import { CloseOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, InputNumber, Segmented } from 'antd'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { pushLimits } from '@mdm/contract'
import { useCount } from '../../../ui/value/format.ts'
import { usual_rollout } from './draft.ts'
import type { RolloutDraft } from './draft.ts'
import { Line } from './parts.tsx'
import type { FaultOf } from './parts.tsx'
import './wizard.css'

const count_usual = [10, 100]

export type StepsDraft = Pick<RolloutDraft, 'unit' | 'sizes' | 'success_percent' | 'error_percent'>
type Props = { rollout: StepsDraft; fault: FaultOf; onSet: (change: Partial<StepsDraft>) => void }

/** Sizes of steps, by percent or by number; what they leave is a last one. */
export function StepSizes({
  rollout: { unit, sizes },
  may_be_empty = false,
  fault,
  onSet,
}: Props & { may_be_empty?: boolean }) {
  const { t } = useTranslation('push-task/wizard')
  const put = (at: number, size: number | null) => onSet({ sizes: sizes.map((each, of) => (of === at ? size : each)) })
  const is_full = sizes.length >= pushLimits.steps
  const is_last = sizes.length <= 1 && !may_be_empty
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
export function StepBar({ sizes }: { sizes: readonly number[] }) {
  const { t } = useTranslation('push-task/wizard')
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

/** When the next step begins, and when the rollout pauses. */
export function Thresholds({ rollout, fault, onSet }: Props) {
  const { t } = useTranslation('push-task/wizard')
  const id = useId()
  return (
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
          onChange={(success_percent) => onSet({ success_percent })}
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
          onChange={(error_percent) => onSet({ error_percent })}
        />
      </Line>
    </div>
  )
}
