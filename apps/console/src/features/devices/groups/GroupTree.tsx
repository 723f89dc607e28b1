import { CaretDownFilled, CaretRightFilled, EllipsisOutlined } from '@ant-design/icons'
import { useMemo, useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { flushSync } from 'react-dom'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { constants } from '@mdm/contract'
import { DropMenu } from '../../../ui/dialog/DropMenu.tsx'
import { kindOfItem, useMayPush, usePushItems } from '../../../shared/device/commands/PushMenu.tsx'
import { wizardAddress } from '../../push-task/public.ts'
import { flat, isWithin } from '../../../shared/groups/group-tree.ts'
import type { GroupNode } from '../../../shared/groups/group-tree.ts'
import { useCount } from '../../../ui/value/format.ts'
import { useMay } from '../../../core/session.tsx'
import type { GroupDialogKind } from './group-rules.ts'
import { rowsOf } from './tree-rows.ts'
import type { TreeRow } from './tree-rows.ts'
import { useTreeDrag } from './use-tree-drag.ts'
import { useWindow } from './use-window.ts'

/** A tree of so many groups is shown whole at first. */
const open_up_to = 40

type Props = {
  tree: readonly GroupNode[]
  /** Everything shown is open while searching. */
  is_search: boolean
  total: number | undefined
  no_group_count: number
  /** ALL, NO_GROUP or a group's kid. */
  selected: string
  onSelect: (kid: string) => void
  onOpen: (kind: GroupDialogKind, node: GroupNode) => void
}

/** Keys as in every tree: arrows walk and open, Enter chooses, F2 renames, Delete deletes, letters jump. */
export function GroupTree(props: Props) {
  const { tree, is_search, selected, onSelect, onOpen } = props
  const { t } = useTranslation(['devices', 'device'])
  const may_edit = useMay('deviceList:group')
  const may_push = useMayPush()
  const [open, setOpen] = useState<Record<string, boolean>>({})
  const [focused, setFocused] = useState<string | null>(null)
  const list = useRef<HTMLUListElement>(null)

  const is_small = useMemo(() => flat(tree).length <= open_up_to, [tree])
  // The chosen group is never hidden by itself, wherever it was chosen.
  const isOpen = (node: GroupNode) =>
    is_search || (open[node.kid] ?? (is_small || (node.kid !== selected && isWithin(node, selected))))
  const rows = rowsOf({ ...props, isOpen, labels: { all: t('device:group.all'), none: t('device:group.none') } })
  const drag = useTreeDrag({ is_on: may_edit, onOpen: (kid) => setOpen((now) => ({ ...now, [kid]: true })) })

  // One row takes part in the tab order: the last one used, else the chosen one.
  const in_order = rows.find(({ kid }) => kid === focused) ?? rows.find(({ kid }) => kid === selected) ?? rows[0]
  const shown = useWindow(list, rows.length, in_order ? rows.indexOf(in_order) : 0)
  const focus = (row: TreeRow | undefined) => {
    if (!row) return
    // At once, so that a row which was out of sight is there to take the focus.
    flushSync(() => setFocused(row.kid))
    shown.reveal(rows.indexOf(row))
    list.current?.querySelector<HTMLElement>(`[data-kid="${CSS.escape(row.kid)}"]`)?.focus({ preventScroll: true })
  }
  const toggle = (node: GroupNode, to: boolean) => setOpen((now) => ({ ...now, [node.kid]: to }))

  const keyed = (event: KeyboardEvent, row: TreeRow) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return
    const at = rows.indexOf(row)
    const { node } = row
    const act: Record<string, () => void> = {
      ArrowDown: () => focus(rows[at + 1]),
      ArrowUp: () => focus(rows[at - 1]),
      Home: () => focus(rows[0]),
      End: () => focus(rows.at(-1)),
      Enter: () => onSelect(row.kid),
      ' ': () => onSelect(row.kid),
      ArrowRight: () => {
        if (!node || node.children.length === 0) return
        if (isOpen(node)) focus(rows[at + 1])
        else toggle(node, true)
      },
      ArrowLeft: () => {
        if (node && node.children.length > 0 && isOpen(node) && !is_search) toggle(node, false)
        else focus(rows.slice(0, at).findLast(({ level }) => level < row.level))
      },
      F2: () => node && may_edit && onOpen('group_rename', node),
      Delete: () => node && may_edit && onOpen('group_delete', node),
    }
    const jump = () => {
      const after = [...rows.slice(at + 1), ...rows.slice(0, at)]
      focus(after.find(({ name }) => name.toLowerCase().startsWith(event.key.toLowerCase())))
    }
    const todo = act[event.key] ?? (event.key.length === 1 ? jump : undefined)
    if (!todo) return
    event.preventDefault()
    todo()
  }

  return (
    <ul role="tree" aria-labelledby="groups-title" className="group-tree" ref={list}>
      {shown.parts.map((part) => {
        if (typeof part !== 'number') return <li key={part.key} role="none" style={{ height: part.height }} />
        const row = rows[part]!
        return (
          <li
            key={row.kid}
            role="treeitem"
            data-kid={row.kid}
            aria-level={row.level}
            aria-posinset={part + 1}
            aria-setsize={rows.length}
            aria-selected={row.kid === selected}
            aria-expanded={row.node && row.node.children.length > 0 ? isOpen(row.node) : undefined}
            aria-label={
              row.count === undefined ? row.name : `${row.name}, ${t('device:targets', { count: row.count })}`
            }
            tabIndex={row === in_order ? 0 : -1}
            style={{ paddingInlineStart: (row.level - 1) * 14 }}
            onFocus={() => setFocused(row.kid)}
            onClick={() => onSelect(row.kid)}
            onKeyDown={(event) => keyed(event, row)}
            {...drag(row)}
          >
            <Caret row={row} is_open={row.node ? isOpen(row.node) : false} onToggle={toggle} />
            <span className="group-name" title={row.node?.path.join(' / ') ?? row.name}>
              {row.name}
            </span>
            <RowCount row={row} />
            {row.node && (may_edit || may_push) && (
              <Menu node={row.node} may_edit={may_edit} is_in_order={row === in_order} onOpen={onOpen} />
            )}
          </li>
        )
      })}
    </ul>
  )
}

function Caret({
  row,
  is_open,
  onToggle,
}: {
  row: TreeRow
  is_open: boolean
  onToggle: (node: GroupNode, to: boolean) => void
}) {
  const { node } = row
  if (!node || node.children.length === 0) return <span className="group-caret" />
  return (
    // The arrow keys do the same; a second stop for the same thing would only be in the way.
    <span
      className="group-caret"
      aria-hidden
      onClick={(event) => {
        event.stopPropagation()
        onToggle(node, !is_open)
      }}
    >
      {is_open ? <CaretDownFilled aria-hidden /> : <CaretRightFilled aria-hidden />}
    </span>
  )
}

/** A click inside of a menu is none on the row below it. */
const stay = ({ domEvent }: { domEvent: { stopPropagation: () => void } }) => domEvent.stopPropagation()

function RowCount({ row }: { row: TreeRow }) {
  const { t } = useTranslation('devices')
  const format = useCount()
  if (row.count === undefined) return null
  const total = format(row.count)
  return (
    <span
      className="group-count"
      title={row.node && t('tree.count', { count: row.count, total, own: format(row.node.own_count) })}
    >
      {total}
    </span>
  )
}

type MenuProps = {
  node: GroupNode
  may_edit: boolean
  is_in_order: boolean
  onOpen: (kind: GroupDialogKind, node: GroupNode) => void
}
const push_prefix = 'push:'
function Menu({ node, may_edit, is_in_order, onOpen }: MenuProps) {
  const { t } = useTranslation(['devices', 'device'])
  const navigate = useNavigate()
  const pushes = usePushItems(push_prefix)
  const max = constants.group_depth
  const is_deepest = node.depth >= max
  // A menu of its own for each of thousands of rows would be most of the work of drawing them.
  const [is_used, setUsed] = useState(false)
  const [is_open, setOpen] = useState(false)
  const button = (
    <button
      type="button"
      className="icon-button group-menu"
      tabIndex={is_in_order ? 0 : -1}
      aria-label={t('tree.actions', { name: node.name })}
      aria-haspopup="menu"
      // It is replaced while it has the focus.
      autoFocus={is_open}
      onClick={(event) => {
        event.stopPropagation()
        if (is_used) return
        setUsed(true)
        setOpen(true)
      }}
    >
      <EllipsisOutlined aria-hidden />
    </button>
  )
  if (!is_used) return button
  return (
    <DropMenu
      open={is_open}
      onOpenChange={setOpen}
      menu={{
        items: [
          ...(pushes.length > 0
            ? [
                { key: 'push', label: t('device:push.group'), children: pushes, onTitleClick: stay },
                ...(may_edit ? [{ type: 'divider' as const }] : []),
              ]
            : []),
          ...(may_edit
            ? [
                {
                  key: 'group_add',
                  label: t('tree.add_below'),
                  disabled: is_deepest,
                  title: is_deepest ? t('tree.too_deep', { max }) : undefined,
                },
                { key: 'group_rename', label: t('tree.rename') },
                { key: 'group_move', label: t('tree.move') },
                { type: 'divider' as const },
                { key: 'group_delete', label: t('tree.delete'), danger: true },
              ]
            : []),
        ],
        onClick: ({ key, domEvent }) => {
          domEvent.stopPropagation()
          if (key.startsWith(push_prefix))
            return void navigate(wizardAddress({ type: kindOfItem(key, push_prefix), terminal_group_kid: node.kid }))
          onOpen(key as GroupDialogKind, node)
        },
      }}
    >
      {button}
    </DropMenu>
  )
}
