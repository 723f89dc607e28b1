import { Segmented } from 'antd'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { fence_group_permission, ltscopes } from '@mdm/contract'
import { useMay } from '../../core/session.tsx'
import type { NamedDevice } from '../../shared/devices-picker/chosen.ts'
import { DeviceChoice } from '../../shared/devices-picker/DeviceChoice.tsx'
import { GroupPicker } from '../../shared/groups/GroupPicker.tsx'

export type Level = 'account' | 'group' | 'device'
export type FencePlace = { ltscope: number; terminal_group_kid?: string; terminal_kid?: string }

const ltscopeOf = { account: ltscopes.account, group: ltscopes.group, device: ltscopes.terminal } as const

type Props = { /** Nowhere is a choice too. */ may_be_nowhere?: boolean }
/** Where a fence is to be in force: the whole account, a group, devices. The fields, and what they say. */
export function usePlaceChoice({ may_be_nowhere = false }: Props = {}): {
  fields: ReactNode
  places: FencePlace[]
  /** Whether something is chosen that has no place yet: a group that is not named. */
  is_incomplete: boolean
  clear: () => void
} {
  const { t } = useTranslation('electronic-fence')
  const may_group = useMay(fence_group_permission)
  const [level, setLevel] = useState<Level | 'nowhere'>(may_be_nowhere ? 'nowhere' : 'device')
  const [group, setGroup] = useState<string | null>(null)
  const [devices, setDevices] = useState<readonly NamedDevice[]>([])
  const places: FencePlace[] =
    level === 'account'
      ? [{ ltscope: ltscopeOf.account }]
      : level === 'group'
        ? group
          ? [{ ltscope: ltscopeOf.group, terminal_group_kid: group }]
          : []
        : level === 'device'
          ? devices.map(({ kid }) => ({ ltscope: ltscopeOf.device, terminal_kid: kid }))
          : []
  const levels: (Level | 'nowhere')[] = [
    ...(may_be_nowhere ? (['nowhere'] as const) : []),
    ...(may_group ? (['account', 'group', 'device'] as const) : (['device'] as const)),
  ]
  return {
    places,
    is_incomplete: level !== 'nowhere' && places.length === 0,
    clear() {
      setGroup(null)
      setDevices([])
    },
    fields: (
      <>
        <div className="fence-level">
          <Segmented<Level | 'nowhere'>
            aria-label={t('set.level')}
            value={level}
            onChange={setLevel}
            options={levels.map((value) => ({ value, label: t(`set.${value}`) }))}
          />
        </div>
        {level === 'group' && (
          <label className="fence-group">
            <span>{t('set.group_label')}</span>
            <GroupPicker value={group} onChange={setGroup} />
          </label>
        )}
        {level === 'device' && <DeviceChoice value={devices} onChange={setDevices} />}
      </>
    ),
  }
}
