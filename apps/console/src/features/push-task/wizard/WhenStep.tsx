import { Checkbox, Input, InputNumber, Radio } from 'antd'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { useSessionStore } from '../../../core/session-store.ts'
import { useMay, useZone } from '../../../core/session.tsx'
import { WindowInput } from '../../../shared/windows/WindowInput.tsx'
import { DisabledReason } from '../../../ui/dialog/DisabledReason.tsx'
import { faultsOf, faultText, has } from './draft.ts'
import type { AfterInstall, Checked, Draft, Prompt } from './draft.ts'
import { InstantPicker } from './InstantPicker.tsx'
import { Line, Part } from './parts.tsx'
import type { FaultOf } from './parts.tsx'
import { RecurrenceFields } from './RecurrenceFields.tsx'
import { RolloutPart } from './RolloutPart.tsx'

export type WhenProps = {
  draft: Draft
  checked: Checked
  /** Whether what is wrong is said: not before the person wanted to send it. */
  is_tried: boolean
  /** Why it cannot be recurring. */
  recurring_disabled_reason: string | undefined
  /** Of one push that is changed, which stays one. */
  is_one?: boolean
  onChange: (change: Partial<Draft>) => void
}
/** When it begins and ends, what the devices wait for, and in which steps. */
export function WhenStep(props: WhenProps) {
  const { draft, is_tried, onChange } = props
  const { t } = useTranslation('push-task/wizard')
  const language = useSessionStore((s) => s.language)
  const faults = faultsOf(draft, Date.now())
  const fault = (field: string) => (is_tried ? faultText(faults[field], language) : undefined)
  return (
    <div className="push-when">
      <StartPart {...props} fault={fault} />
      <ConditionsPart draft={draft} fault={fault} onChange={onChange} />
      <Part title={t('rollout.title')} hint={t('rollout.hint')}>
        <RolloutPart {...props} fault={fault} />
      </Part>
    </div>
  )
}

function StartPart({
  draft,
  recurring_disabled_reason,
  is_one = false,
  fault,
  onChange,
}: WhenProps & { fault: FaultOf }) {
  const { t } = useTranslation(['push-task/wizard', 'common'])
  const zone = useZone()
  const id = useId()
  const may_schedule = useMay('pushTaskList:schedule')
  const { start, start_at, deadline_at, name } = draft
  return (
    <Part title={t('when.title')}>
      <Line label={t('when.start')}>
        <Radio.Group
          className="push-choices"
          aria-label={t('when.start')}
          value={start}
          onChange={(event) => onChange({ start: event.target.value as Draft['start'] })}
        >
          <Radio value="now">{t('when.now')}</Radio>
          <Radio value="at">{t('when.at')}</Radio>
          {may_schedule && !is_one && (
            <DisabledReason disabled_reason={recurring_disabled_reason}>
              <Radio value="recurring" disabled={recurring_disabled_reason !== undefined}>
                {t('when.recurring')}
              </Radio>
            </DisabledReason>
          )}
        </Radio.Group>
      </Line>
      {start === 'at' && (
        <Line
          label={t('when.start_at')}
          is_required
          id={`${id}-start`}
          hint={t('common:list.zone', { zone })}
          fault={fault('start_at')}
        >
          <InstantPicker id={`${id}-start`} value={start_at} onChange={(at) => onChange({ start_at: at })} />
        </Line>
      )}
      {start === 'recurring' && (
        <>
          <Line label={t('when.name')} id={`${id}-name`} is_required hint={t('when.name_hint')} fault={fault('name')}>
            <Input
              id={`${id}-name`}
              className="push-narrow"
              maxLength={64}
              autoComplete="off"
              value={name}
              onChange={(event) => onChange({ name: event.target.value })}
            />
          </Line>
          <RecurrenceFields draft={draft} fault={fault} onChange={onChange} />
        </>
      )}
      {start !== 'recurring' && (
        <Line
          label={t('when.deadline')}
          id={`${id}-deadline`}
          hint={t('when.deadline_hint')}
          fault={fault('deadline_at')}
        >
          <InstantPicker id={`${id}-deadline`} value={deadline_at} onChange={(at) => onChange({ deadline_at: at })} />
        </Line>
      )}
    </Part>
  )
}

type ConditionProps = { draft: Draft; fault: FaultOf; onChange: WhenProps['onChange'] }
const usual_battery = 30
function ConditionsPart({ draft, fault, onChange }: ConditionProps) {
  const { t } = useTranslation('push-task/wizard')
  const { network, download_prompt, min_battery, prompt, window, after_install } = draft
  const after: AfterInstall[] = [
    'nothing',
    ...(has(draft, 'start_after') ? (['start_app'] as const) : []),
    ...(has(draft, 'restart_after') ? (['restart'] as const) : []),
  ]
  return (
    <Part title={t('conditions.title')} hint={t('conditions.hint')}>
      {has(draft, 'network') && (
        <Line label={t('conditions.network')}>
          <Radio.Group
            className="push-choices"
            aria-label={t('conditions.network')}
            value={network}
            onChange={(event) => onChange({ network: event.target.value as Draft['network'] })}
          >
            <Radio value="any">{t('conditions.any')}</Radio>
            <Radio value="wifi">{t('conditions.wifi')}</Radio>
          </Radio.Group>
        </Line>
      )}
      {has(draft, 'download_prompt') && (
        <Line label={t('conditions.download')} hint={download_prompt ? t('conditions.reminders') : undefined}>
          <Checkbox checked={download_prompt} onChange={(event) => onChange({ download_prompt: event.target.checked })}>
            {t('conditions.download_prompt')}
          </Checkbox>
        </Line>
      )}
      {has(draft, 'battery') && (
        <Line label={t('conditions.battery')} hint={min_battery === null ? undefined : t('conditions.battery_hint')}>
          <Checkbox
            checked={min_battery !== null}
            onChange={(event) => onChange({ min_battery: event.target.checked ? usual_battery : null })}
          >
            {t('conditions.battery_on')}
          </Checkbox>
          {min_battery !== null && (
            <InputNumber<number>
              aria-label={t('conditions.battery')}
              min={1}
              max={100}
              precision={0}
              suffix="%"
              value={min_battery}
              onChange={(percent) => onChange({ min_battery: percent ?? usual_battery })}
            />
          )}
        </Line>
      )}
      {has(draft, 'install_prompt') && (
        <Line
          label={t('conditions.execute')}
          hint={prompt === 'ask' ? t('conditions.reminders') : undefined}
          fault={fault('force_install')}
        >
          <Radio.Group
            className="push-choices"
            aria-label={t('conditions.execute')}
            value={prompt}
            onChange={(event) => onChange({ prompt: event.target.value as Prompt })}
          >
            <Radio value="none">{t('conditions.prompt.none')}</Radio>
            <Radio value="ask">{t('conditions.prompt.ask')}</Radio>
            <Radio value="force">{t('conditions.prompt.force')}</Radio>
          </Radio.Group>
        </Line>
      )}
      {has(draft, 'window') && (
        <Line
          label={t('conditions.window')}
          hint={window ? t('conditions.window_hint') : undefined}
          fault={fault('window') ?? fault('window.days')}
        >
          <WindowInput
            label={t('conditions.window')}
            value={window}
            onChange={(chosen) => onChange({ window: chosen })}
          />
        </Line>
      )}
      {after.length > 1 && (
        <Line label={t('conditions.after')}>
          <Radio.Group
            className="push-choices"
            aria-label={t('conditions.after')}
            value={after_install}
            onChange={(event) => onChange({ after_install: event.target.value as AfterInstall })}
          >
            {after.map((value) => (
              <Radio key={value} value={value}>
                {t(`conditions.after_install.${value}`)}
              </Radio>
            ))}
          </Radio.Group>
        </Line>
      )}
    </Part>
  )
}
