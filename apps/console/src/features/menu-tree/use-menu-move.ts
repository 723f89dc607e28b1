import { useRef } from 'react'
import type { DragEvent, HTMLAttributes } from 'react'
import { useTranslation } from 'react-i18next'
import type { MenuEntry } from '@mdm/contract'
import { api, useWrite } from '../../core/api.ts'
import { notify } from '../../core/notices.ts'
import { flattened } from '../../ui/list/tree.ts'
import { refreshMenu } from '../../core/menu-refresh.ts'
import { dropOf, whyNotBelow } from './menu-places.ts'
import type { Entry, Place, Zone } from './menu-places.ts'

/** A middle part of a row takes what is dropped below it, its edges beside it. */
const edge = 0.3

export function useMenuMove(tree: readonly Entry[], is_on: boolean) {
  const { t } = useTranslation('menu-tree')
  // Kept beside React: while something is dragged nothing is drawn anew but the mark of the row under it.
  const dragged = useRef<MenuEntry>(undefined)
  const marked = useRef<HTMLElement>(undefined)
  const write = useWrite(api.opsMenuTree.move, { done: t('moved'), onSuccess: () => void refreshMenu() })
  const move = (kid: string, { parent, before }: Place) =>
    write.run({ kid, target_parent_kid: parent, before_kid: before })

  const placeOf = (entry: MenuEntry, target: MenuEntry, zone: Zone) => {
    const place = dropOf(tree, target, zone)
    const parent = flattened(tree).find(({ kid }) => kid === place.parent) ?? null
    return { place, reason: whyNotBelow(tree, entry, parent) }
  }
  /** The nearest zone that is possible: over a page, another page can only go beside it. */
  const zoneAt = (event: DragEvent<HTMLElement>, entry: MenuEntry, target: MenuEntry): Zone => {
    const { top, height } = event.currentTarget.getBoundingClientRect()
    const part = (event.clientY - top) / height
    const beside: Zone = part < 0.5 ? 'before' : 'after'
    const wanted: Zone = part < edge ? 'before' : part > 1 - edge ? 'after' : 'into'
    const zones: Zone[] = [wanted, beside, 'into']
    return zones.find((zone) => !placeOf(entry, target, zone).reason) ?? wanted
  }
  const mark = (row: HTMLElement | undefined, zone?: Zone | 'no') => {
    if (marked.current && marked.current !== row) delete marked.current.dataset['drop']
    if (row && zone) row.dataset['drop'] = zone
    marked.current = row
  }
  const end = () => {
    mark(undefined)
    dragged.current = undefined
  }
  const rowProps = (row: Entry): HTMLAttributes<HTMLElement> => {
    if (!is_on) return {}
    return {
      draggable: true,
      className: 'menu-row',
      onDragStart: (event) => {
        event.dataTransfer.effectAllowed = 'move'
        event.dataTransfer.setData('text/plain', row.code)
        dragged.current = row
      },
      onDragOver: (event) => {
        const entry = dragged.current
        if (!entry) return
        if (entry.kid === row.kid) return mark(undefined)
        event.preventDefault()
        const zone = zoneAt(event, entry, row)
        mark(event.currentTarget, placeOf(entry, row, zone).reason ? 'no' : zone)
      },
      onDrop: (event) => {
        event.preventDefault()
        const entry = dragged.current
        if (!entry || entry.kid === row.kid) return end()
        const { place, reason } = placeOf(entry, row, zoneAt(event, entry, row))
        end()
        if (reason) notify.info(t(`disabled_reason.${reason}`, { type: t(`type.${entry.type}`) }))
        else void move(entry.kid, place)
      },
      onDragEnd: end,
    }
  }
  return { move, is_moving: write.isPending, rowProps }
}
