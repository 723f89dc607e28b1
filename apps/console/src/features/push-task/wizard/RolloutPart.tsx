import { Checkbox, Switch } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { pushLimits } from '@mdm/contract'
import { api, useCall } from '../../../core/api.ts'
import { ChoiceTable, choice_page_size } from '../../../shared/devices-picker/ChoiceTable.tsx'
import type { NamedDevice } from '../../../shared/devices-picker/chosen.ts'
import { DisabledReason } from '../../../ui/dialog/DisabledReason.tsx'
import { useCount } from '../../../ui/value/format.ts'
import { Code } from '../../../ui/value/values.tsx'
import { laterDisabledReason, stepsOf, usual_rollout } from './draft.ts'
import type { Checked, Draft, RolloutDraft } from './draft.ts'
import { StepBar, StepSizes, Thresholds } from './StepFields.tsx'
import { Line } from './parts.tsx'
import type { FaultOf } from './parts.tsx'

type Props = { draft: Draft; checked: Checked; fault: FaultOf; onChange: (change: Partial<Draft>) => void }

/** All at once, or in steps of which each waits for the success of the one before. */
export function RolloutPart({ draft, checked, fault, onChange }: Props) {
  const { t } = useTranslation('push-task/wizard')
  const { rollout, start } = draft
  const set = (change: Partial<RolloutDraft>) => rollout && onChange({ rollout: { ...rollout, ...change } })
  const later = laterDisabledReason(draft)
  return (
    <>
      <label className="push-switch">
        <Switch checked={rollout !== null} onChange={(is_on) => onChange({ rollout: is_on ? usual_rollout : null })} />
        <span>{t('rollout.on')}</span>
      </label>
      {rollout && (
        <>
          <StepSizes
            rollout={rollout}
            may_be_empty={rollout.is_picking && start !== 'recurring'}
            fault={fault}
            onSet={set}
          />
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
          <Thresholds rollout={rollout} fault={fault} onSet={set} />
          <Line label={t('rollout.later')}>
            <DisabledReason disabled_reason={later && t(`rollout.later_disabled_reason.${later}`)}>
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

type FirstProps = {
  checked: Checked
  value: readonly NamedDevice[]
  onChange: (picked: readonly NamedDevice[]) => void
}
/** Devices of the push that come before all others. */
function FirstDevices({ checked, value, onChange }: FirstProps) {
  const { t } = useTranslation(['push-task/wizard', 'devices-picker'])
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
        { key: 'sn', title: t('devices-picker:sn'), render: (_, row) => <Code value={row.sn} /> },
        { key: 'name', title: t('devices-picker:alias'), render: (_, row) => row.name },
      ]}
    />
  )
}
