import { Switch } from 'antd'
import { useTranslation } from 'react-i18next'
import type { PlainRollout } from '@mdm/contract'
import { useSessionStore } from '../../core/session-store.ts'
import { faultText, readSteps, StepSizes, Thresholds, usual_rollout } from '../push-task/public.ts'
import type { StepsDraft } from '../push-task/public.ts'

export function stepsDraftOf({ steps, success_percent, error_percent }: PlainRollout): StepsDraft {
  return {
    unit: steps.some((step) => 'count' in step) ? 'count' : 'percent',
    sizes: steps.map((step) => ('percent' in step ? step.percent : step.count)),
    success_percent,
    error_percent,
  }
}

type Props = { value?: StepsDraft | null; onChange?: (steps: StepsDraft | null) => void }
/** The control of a field: all at once, or in steps of which each waits for the success of the one before. */
export function StepsInput({ value: steps = null, onChange }: Props) {
  const { t } = useTranslation('app-requirement')
  const language = useSessionStore((s) => s.language)
  const faults = steps ? readSteps(steps).faults : {}
  const of = { fault: (field: string) => faultText(faults[field], language) }
  const set = (change: Partial<StepsDraft>) => steps && onChange?.({ ...steps, ...change })
  return (
    <>
      <label className="push-switch">
        <Switch checked={steps !== null} onChange={(is_on) => onChange?.(is_on ? usual_rollout : null)} />
        <span>{t('steps.on')}</span>
      </label>
      {steps && (
        <>
          <p className="dim">{t('steps.hint')}</p>
          <StepSizes rollout={steps} {...of} onSet={set} />
          <Thresholds rollout={steps} {...of} onSet={set} />
        </>
      )}
    </>
  )
}
