import { Select } from 'antd'
import { useTranslation } from 'react-i18next'
import type { AlertRule } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { useMay } from '../../core/session.tsx'
import { useConditionLabels } from '../../shared/device-filters/conditions/condition-labels.tsx'
import type { Match } from '../../shared/device/WhichDevices.tsx'
import { chosenOf, matchOf, noDevices } from '../../shared/devices-picker/chosen.ts'
import type { ChosenDevices } from '../../shared/devices-picker/chosen.ts'
import { DynamicGroupChoice } from '../../shared/devices-picker/DynamicGroupChoice.tsx'
import { FilterChoice } from '../../shared/devices-picker/FilterChoice.tsx'
import { GroupChoice } from '../../shared/devices-picker/GroupChoice.tsx'
import { find as findGroup } from '../../shared/groups/group-tree.ts'
import { useGroups } from '../../shared/groups/GroupPicker.tsx'
import './alert.css'

type Kind = 'group' | 'dynamic' | 'filter'
/** `kept` is a filter that was made by a script and asks for more than the form can show. */
export type Whom = { kind: 'all' } | { kind: 'kept'; match: Match } | Extract<ChosenDevices, { kind: Kind }>

export function whomOf({ match }: Pick<AlertRule, 'match'>): Whom {
  if (!match) return { kind: 'all' }
  const chosen = chosenOf(match)
  if (!chosen) return { kind: 'kept', match }
  return chosen.kind === 'group' && chosen.terminal_group_kid === 'ALL' ? { kind: 'all' } : (chosen as Whom)
}
/** Undefined of all devices; null while it is not said which. */
export function matchOfWhom(whom: Whom): Match | null | undefined {
  if (whom.kind === 'all') return undefined
  return whom.kind === 'kept' ? whom.match : (matchOf(whom) ?? null)
}

const labels = { group: 'by_group', dynamic: 'by_dynamic', filter: 'by_filter' } as const
const kinds = Object.keys(labels) as Kind[]

type Props = { id?: string; value?: Whom; onChange?: (whom: Whom) => void; kept: Whom }
/** All devices, a group, a dynamic group, or what meets conditions: looked for anew each time the rule is judged. */
export function RuleDevices({ id, value = { kind: 'all' }, onChange, kept }: Props) {
  const { t } = useTranslation(['alert', 'devices-picker'])
  const may_list = useMay('deviceList')
  const change = (whom: Whom) => onChange?.(whom)
  const turn = (kind: Whom['kind']) => {
    if (kind === kept.kind) change(kept)
    else if (kind === 'all') change({ kind })
    else change(noDevices(kind as Kind) as Whom)
  }
  return (
    <div className="alert-part">
      <Select<Whom['kind']>
        id={id}
        value={value.kind}
        onChange={turn}
        options={[
          { value: 'all', label: t('form.everyone') },
          ...(kept.kind === 'kept' ? [{ value: 'kept' as const, label: t('form.kept') }] : []),
          ...kinds
            .filter((kind) => may_list || kind === value.kind)
            .map((kind) => ({ value: kind, label: t(`devices-picker:${labels[kind]}`) })),
        ]}
      />
      {value.kind === 'group' && (
        <GroupChoice
          value={value.terminal_group_kid}
          onChange={(terminal_group_kid) => change({ kind: 'group', terminal_group_kid })}
        />
      )}
      {value.kind === 'dynamic' && (
        <DynamicGroupChoice
          value={value.terminal_dynamic_group_kid}
          onChange={(terminal_dynamic_group_kid) => change({ kind: 'dynamic', terminal_dynamic_group_kid })}
        />
      )}
      {value.kind === 'filter' && <FilterChoice value={value} onChange={change} />}
    </div>
  )
}

/** In words, which devices a rule is about. */
export function useWhomText(): (rule: Pick<AlertRule, 'match'>) => string {
  const { t } = useTranslation(['alert', 'device'])
  const { sentence } = useConditionLabels()
  const { tree, query } = useGroups()
  const may_list = useMay('deviceList')
  const dynamic = useCall(api.terminalDynamicGroup.list, { with_counts: false }, { enabled: may_list })
  return (rule) => {
    const whom = whomOf(rule)
    if (whom.kind === 'all') return t('form.everyone')
    if (whom.kind === 'kept') return t('form.kept')
    if (whom.kind === 'filter') return whom.where ? sentence(whom.where) : ''
    const [kid, data] =
      whom.kind === 'group' ? [whom.terminal_group_kid, query.data] : [whom.terminal_dynamic_group_kid, dynamic.data]
    if (kid === 'NO_GROUP') return t('device:group.none')
    if (!data) return ''
    const name =
      whom.kind === 'group'
        ? findGroup(tree, kid ?? '')?.path.join(' / ')
        : dynamic.data?.find((one) => one.kid === kid)?.name
    return name ?? t('rule.group_gone')
  }
}
