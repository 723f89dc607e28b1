import { Switch } from 'antd'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { stepSizes } from '@mdm/contract'
import type { ConfigAffected, PlainRollout as Steps } from '@mdm/contract'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { useSessionStore } from '../../../core/session-store.ts'
import { faultText, readSteps, sizesOf, StepBar, StepSizes, Thresholds, usual_rollout } from '../../push-task/public.ts'
import { SomeDevices } from './WouldChange.tsx'
import type { StepsDraft } from '../../push-task/public.ts'

type Props = {
  would: ConfigAffected
  /** Whether there are steps at this level. */
  may_step: boolean
  is_copy?: boolean
  title?: string
  loading?: boolean
  /** What it would do is not known yet. */
  is_held?: boolean
  /** What it changes, before the devices. */
  children?: ReactNode
  /** Nobody has to choose how fast one device gets it. */
  onSave: (rollout: Steps | undefined) => void
  onCancel: () => void
}
/** What a change of a level would do, and whether its devices get it at once or in steps. */
export default function SaveDialog(props: Props) {
  const {
    would,
    may_step,
    is_copy = false,
    title,
    loading = false,
    is_held = false,
    children,
    onSave,
    onCancel,
  } = props
  const { t } = useTranslation(['configure/edit', 'configure', 'common'])
  const language = useSessionStore((s) => s.language)
  const [steps, setSteps] = useState<StepsDraft | null>(null)
  const [is_tried, setTried] = useState(false)
  const { rollout, faults } = steps ? readSteps(steps) : { rollout: undefined, faults: {} }
  const is_wrong = Object.keys(faults).length > 0
  const fault = (field: string) => (is_tried ? faultText(faults[field], language) : undefined)
  const set = (change: Partial<StepsDraft>) => setSteps((now) => now && { ...now, ...change })
  return (
    <Dialog
      title={title ?? t(is_copy ? 'affected.copy_title' : 'affected.title', { count: would.devices })}
      width={title ? 760 : 520}
      confirmLoading={loading}
      okButtonProps={{ disabled: is_held }}
      okText={t(is_copy ? 'copy.submit' : 'configure:save')}
      cancelText={t('common:cancel')}
      onCancel={onCancel}
      onOk={() => {
        if (is_wrong) return setTried(true)
        onSave(rollout)
      }}
    >
      {children ?? <SomeDevices would={would} />}
      {may_step && would.devices > 1 && (
        <div className="config-steps">
          <label className="push-switch">
            <Switch checked={steps !== null} onChange={(is_on) => setSteps(is_on ? usual_rollout : null)} />
            <span>{t('steps.on')}</span>
          </label>
          {steps && (
            <>
              <p className="dim">{t('steps.hint')}</p>
              <StepSizes rollout={steps} fault={fault} onSet={set} />
              <StepBar sizes={stepSizes(would.devices, { steps: sizesOf(steps) })} />
              <Thresholds rollout={steps} fault={fault} onSet={set} />
            </>
          )}
        </div>
      )}
    </Dialog>
  )
}
