import { Select } from 'antd'
import { useTranslation } from 'react-i18next'
import type { TerminalGroup } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import type { AnyCall } from '../../core/api.ts'
import { flat, matches, treeOf } from './group-tree.ts'
import type { GroupNode } from './group-tree.ts'
import '../device/device.css'

const none: TerminalGroup[] = []
/** The call that answers groups, and what it is asked. */
export type GroupSource = { call: AnyCall; input: object }
export const ownGroups: GroupSource = { call: api.terminalGroup.list, input: { parent_kid: 'ALL', is_no_group: true } }

/** Every group the person may see, as a tree, and how many devices are in none. */
export function useGroups({ call, input } = ownGroups, enabled = true) {
  const query = useCall(call, input, { enabled })
  const groups = (query.data ?? none) as TerminalGroup[]
  return { query, tree: treeOf(groups), no_group_count: groups.find((group) => group.is_no_group)?.total_count ?? 0 }
}

type Special = 'ALL' | 'NO_GROUP' | 'ROOT'
type Props = {
  /** `Field` gives these three. */
  id?: string
  value?: string | null
  onChange?: (kid: string) => void
  /** Whose groups; the account's own when absent. */
  of?: GroupSource
  /** Choices that are no group, first in the list. */
  special?: readonly Special[]
  /** Why a group cannot be chosen, or undefined. */
  disabled_reason?: (node: GroupNode) => string | undefined
  placeholder?: string
  autoFocus?: boolean
}

/** Chooses one group from the tree: indented, searched by any part of a name, accents aside. */
export function GroupPicker({ of, special = [], disabled_reason, placeholder, value, ...rest }: Props) {
  const { t } = useTranslation('device')
  const { query, tree } = useGroups(of)
  const labels = { ALL: t('group.all'), NO_GROUP: t('group.none'), ROOT: t('group.root') } as const
  const options = [
    ...special.map((kid) => ({
      value: kid as string,
      label: labels[kid],
      depth: 1,
      above: '',
      reason: undefined,
      disabled: false,
    })),
    ...flat(tree).map((node) => {
      const reason = disabled_reason?.(node)
      return {
        value: node.kid,
        label: node.name,
        depth: node.depth,
        above: node.path.slice(0, -1).join(' / '),
        reason,
        disabled: reason !== undefined,
      }
    }),
  ]
  return (
    <Select<string>
      {...rest}
      value={value ?? undefined}
      className="group-picker"
      showSearch={{ filterOption: (typed, option) => matches(String(option?.label ?? ''), typed) }}
      loading={query.isPending}
      placeholder={placeholder ?? t('group.choose')}
      aria-label={rest.id ? undefined : t('group.label')}
      notFoundContent={query.error ? query.error.message : t('group.not_found')}
      options={options}
      optionRender={({ data }) => (
        <span
          className="group-option"
          style={{ paddingInlineStart: (data.depth - 1) * 14 }}
          title={data.reason ?? data.above}
        >
          {data.label}
          {data.reason && <span className="dim">{data.reason}</span>}
        </span>
      )}
      labelRender={({ label, value: kid }) => {
        const above = options.find((option) => option.value === kid)?.above
        return (
          <span title={above ? `${above} / ${String(label)}` : undefined}>
            {above && <span className="dim">{above} / </span>}
            {label ?? kid}
          </span>
        )
      }}
    />
  )
}
