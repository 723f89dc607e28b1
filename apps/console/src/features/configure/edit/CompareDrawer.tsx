import { Radio, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { configSectionKeys, ltscopes } from '@mdm/contract'
import type { ConfigSection } from '@mdm/contract'
import { isEqual } from '@mdm/contract/config/equal.ts'
import { sectionOf } from '@mdm/contract/config/sections.ts'
import { api, useCall } from '../../../core/api.ts'
import { useTextOf } from '../../../i18n/use-text-of.ts'
import { DeviceChoice } from '../../../shared/devices-picker/DeviceChoice.tsx'
import type { NamedDevice } from '../../../shared/devices-picker/chosen.ts'
import { GroupPicker } from '../../../shared/groups/GroupPicker.tsx'
import { Drawer } from '../../../ui/dialog/Drawer.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import type { ConfigPlace } from '../config-place.ts'
import { useLevelName } from './ConfigSectionPart.tsx'
import type { Effective } from './ConfigSectionPart.tsx'
import { SectionDifferences } from './SectionDifferences.tsx'

type Current = Partial<Record<ConfigSection, Effective>>
type Kind = 'account' | 'group' | 'terminal'
type Props = { name: string; current: Current; onClose: () => void }

/** What holds at this level beside what holds at another: the sections that are not the same, line by line. */
export default function CompareDrawer({ name, current, onClose }: Props) {
  const { t } = useTranslation('configure/edit')
  const [kind, setKind] = useState<Kind>('group')
  const [group, setGroup] = useState<string>()
  const [devices, setDevices] = useState<readonly NamedDevice[]>([])
  const place: ConfigPlace | undefined =
    kind === 'account'
      ? { ltscope: ltscopes.account }
      : kind === 'group'
        ? group === undefined
          ? undefined
          : { ltscope: ltscopes.group, terminal_group_kid: group }
        : devices[0] && { ltscope: ltscopes.terminal, terminal_kid: devices[0].kid }
  return (
    <Drawer size={760} title={t('compare.title', { name })} onClose={onClose}>
      <Radio.Group
        aria-label={t('compare.with')}
        value={kind}
        onChange={(event) => setKind(event.target.value as Kind)}
        options={(['account', 'group', 'terminal'] as const).map((value) => ({ value, label: t(`level.${value}`) }))}
      />
      <div className="config-tools">
        {kind === 'group' && (
          <span className="config-level-choice">
            <GroupPicker placeholder={t('level.group')} value={group ?? null} onChange={setGroup} />
          </span>
        )}
        {kind === 'terminal' && <DeviceChoice max={1} value={devices} onChange={setDevices} />}
      </div>
      {place && <Differences key={JSON.stringify(place)} name={name} current={current} place={place} />}
    </Drawer>
  )
}

function Differences({ name, current, place }: Pick<Props, 'name' | 'current'> & { place: ConfigPlace }) {
  const { t } = useTranslation('configure/edit')
  const textOf = useTextOf()
  const nameOf = useLevelName()
  const query = useCall(api.terminalConfig.current_config, place)
  if (query.error) return <Failure error={query.error} retry={query.refetch} />
  if (!query.data) return <Skeleton active title={false} paragraph={{ rows: 6 }} />
  const other = query.data as unknown as Current
  const compared = configSectionKeys.filter((section) => current[section] && other[section])
  const differ = compared.filter((section) => !isEqual(current[section]!.value, other[section]!.value))
  const level = Object.values(other)
    .find((each) => each?.levels)
    ?.levels.at(-1)
  const titles = [name, level?.name ?? (level ? nameOf(level) : '')] as const
  return (
    <>
      <p role="status">{t('compare.differ', { count: differ.length, total: compared.length })}</p>
      {differ.map((section) => (
        <section key={section} className="config-section" aria-label={textOf(sectionOf(section).title)}>
          <h3>{textOf(sectionOf(section).title)}</h3>
          <SectionDifferences
            section={section}
            before={current[section]!.value}
            after={other[section]!.value}
            titles={titles}
          />
        </section>
      ))}
    </>
  )
}
