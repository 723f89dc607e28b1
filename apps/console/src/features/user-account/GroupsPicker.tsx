import { Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { useCount } from '../../ui/value/format.ts'
import { useGroups } from '../../shared/groups/GroupPicker.tsx'
import { flat, isWithin, matches } from '../../shared/groups/group-tree.ts'
import type { GroupNode } from '../../shared/groups/group-tree.ts'
import './people.css'

type Props = {
  /** `Field` gives these three. */
  id?: string
  value?: string[]
  onChange?: (kids: string[]) => void
}

/** Several groups from the tree, each with everything below it; none of them means no limit. */
export function GroupsPicker({ id, value = [], onChange }: Props) {
  const { t } = useTranslation(['user-account', 'device'])
  const count = useCount()
  const { query, tree } = useGroups()
  const all = flat(tree)
  const chosen = all.filter(({ kid }) => value.includes(kid))
  const within = (node: GroupNode) => chosen.find((other) => other !== node && isWithin(other, node.kid))
  const tops = chosen.filter((node) => !within(node))
  const devices = tops.reduce((sum, node) => sum + node.total_count, 0)
  const change = (kids: string[]) => {
    const next = all.filter(({ kid }) => kids.includes(kid))
    const unknown = kids.filter((kid) => !all.some((node) => node.kid === kid))
    // What a chosen group includes needs no entry of its own.
    const needed = next.filter((node) => !next.some((other) => other !== node && isWithin(other, node.kid)))
    onChange?.([...needed.map(({ kid }) => kid), ...unknown])
  }
  if (query.error) return <p className="dim">{value.length > 0 ? t('groups_unreadable') : query.error.message}</p>
  return (
    <>
      <Select<string[]>
        id={id}
        mode="multiple"
        className="group-picker"
        value={value}
        onChange={change}
        loading={query.isPending}
        showSearch={{ filterOption: (typed, option) => matches(String(option?.label ?? ''), typed) }}
        placeholder={t('groups_placeholder')}
        notFoundContent={t('device:group.not_found')}
        options={all.map((node) => {
          const by = within(node)
          return {
            value: node.kid,
            label: node.path.join(' / '),
            name: node.name,
            path: node.path.join(' / '),
            depth: node.depth,
            disabled: by !== undefined,
            reason: by && t('groups_within', { name: by.name }),
            devices: node.total_count,
          }
        })}
        optionRender={({ data }) => (
          <span className="group-option" style={{ paddingInlineStart: (data.depth - 1) * 14 }} title={data.path}>
            {data.name}
            <span className="dim">{data.reason ?? count(data.devices)}</span>
          </span>
        )}
      />
      <p className="groups-meaning" role="status">
        {value.length === 0 ? t('groups_no_limit') : t('groups_limit', { count: devices, shown: count(devices) })}
      </p>
    </>
  )
}
