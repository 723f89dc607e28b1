import { useRef, useState } from 'react'
import type { DragEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { api, useWrite } from '../../../core/api.ts'
import { notify } from '../../../core/notices.ts'
import type { GroupNode } from '../../../shared/groups/group-tree.ts'
import { useQuestion } from '../../../ui/dialog/question.ts'
import { useMoveDisabledReason } from './group-rules.ts'
import type { TreeRow } from './tree-rows.ts'

const open_after_ms = 600

/**
 * Dragging a group onto another moves it below that one, onto 'All devices' to the top. It asks first: a slip of the
 * hand would move every device of the branch. The dialog of the same name does it without a mouse.
 */
export function useTreeDrag({ is_on, onOpen }: { is_on: boolean; onOpen: (kid: string) => void }) {
  const { t } = useTranslation(['devices', 'device'])
  const disabled_reason = useMoveDisabledReason()
  const ask = useQuestion((s) => s.ask)
  const [dragged, setDragged] = useState<GroupNode | null>(null)
  const [over, setOver] = useState<string | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const move = useWrite(api.terminalGroup.move, { done: t('group.moved'), also: ['terminal'] })

  const end = () => {
    clearTimeout(timer.current)
    setDragged(null)
    setOver(null)
  }
  const drop = async (node: GroupNode, to: GroupNode | 'ROOT') => {
    const reason = disabled_reason(node, to)
    if (reason) return notify.info(reason)
    const name = to === 'ROOT' ? t('device:group.root') : to.name
    const is_yes = await ask({
      title: t('tree.move_title', { name: node.name }),
      text: t('tree.move_text', { to: name, count: node.total_count }),
      yes: t('tree.move_yes'),
    })
    if (!is_yes) return
    const done = await move.run({ kid: node.kid, target_parent_kid: to === 'ROOT' ? 'ROOT' : to.kid })
    if (done && to !== 'ROOT') onOpen(to.kid)
  }

  return (row: TreeRow) => {
    if (!is_on) return {}
    const target = row.kid === 'ALL' ? 'ROOT' : row.node
    const is_possible = dragged !== null && target !== undefined && disabled_reason(dragged, target) === undefined
    return {
      draggable: row.node !== undefined,
      'data-drop': over === row.kid ? (is_possible ? 'yes' : 'no') : undefined,
      onDragStart: (event: DragEvent) => {
        if (!row.node) return
        event.dataTransfer.effectAllowed = 'move'
        event.dataTransfer.setData('text/plain', row.name)
        setDragged(row.node)
      },
      onDragEnter: () => {
        clearTimeout(timer.current)
        setOver(row.kid)
        timer.current = setTimeout(() => onOpen(row.kid), open_after_ms)
      },
      onDragOver: (event: DragEvent) => {
        if (!dragged || !target) return
        event.preventDefault()
        event.dataTransfer.dropEffect = is_possible ? 'move' : 'none'
      },
      onDrop: (event: DragEvent) => {
        event.preventDefault()
        const node = dragged
        end()
        if (node && target) void drop(node, target)
      },
      onDragEnd: end,
    }
  }
}
