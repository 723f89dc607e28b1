import { Segmented } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useMay } from '../../core/session.tsx'
import { noDevices } from './chosen.ts'
import type { ChosenDevices, HowChosen } from './chosen.ts'
import { DeviceChoice } from './DeviceChoice.tsx'
import { DynamicGroupChoice } from './DynamicGroupChoice.tsx'
import { FilterChoice } from './FilterChoice.tsx'
import { GroupChoice } from './GroupChoice.tsx'
import { SnsChoice } from './SnsChoice.tsx'

const kinds = ['group', 'dynamic', 'devices', 'filter', 'sns'] as const satisfies readonly HowChosen[]

type Props = { value: ChosenDevices; onChange: (chosen: ChosenDevices) => void }

/** Needs the catalogues 'devices-picker', 'device' and 'device-filters'. */
export function DevicesPicker({ value, onChange }: Props) {
  const { t } = useTranslation('devices-picker')
  // Who may not read the list can still name devices by their SNs.
  const may_list = useMay('deviceList')
  const [kept, setKept] = useState<{ [K in HowChosen]?: ChosenDevices }>({})
  const turn = (kind: HowChosen) => {
    // What was chosen the other way is there again when the person turns back.
    setKept({ ...kept, [value.kind]: value })
    onChange(kept[kind] ?? noDevices(kind))
  }
  const shown = kinds.filter((kind) => may_list || kind === 'sns' || kind === value.kind)
  return (
    <div className="devices-choice">
      <div>
        <Segmented<HowChosen>
          aria-label={t('how')}
          value={value.kind}
          options={shown.map((kind) => ({ value: kind, label: t(labels[kind]) }))}
          onChange={turn}
        />
      </div>
      {value.kind === 'group' && (
        <GroupChoice
          value={value.terminal_group_kid}
          onChange={(terminal_group_kid) => onChange({ kind: 'group', terminal_group_kid })}
        />
      )}
      {value.kind === 'dynamic' && (
        <DynamicGroupChoice
          value={value.terminal_dynamic_group_kid}
          onChange={(terminal_dynamic_group_kid) => onChange({ kind: 'dynamic', terminal_dynamic_group_kid })}
        />
      )}
      {value.kind === 'devices' && (
        <DeviceChoice value={value.rows} onChange={(rows) => onChange({ kind: 'devices', rows })} />
      )}
      {value.kind === 'filter' && <FilterChoice value={value} onChange={onChange} />}
      {value.kind === 'sns' && <SnsChoice value={value} onChange={(list) => onChange({ kind: 'sns', ...list })} />}
    </div>
  )
}

const labels = {
  group: 'by_group',
  dynamic: 'by_dynamic',
  devices: 'by_device',
  filter: 'by_filter',
  sns: 'by_sns',
} as const
