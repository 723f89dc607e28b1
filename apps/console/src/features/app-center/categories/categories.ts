import type { AppCategory } from '@mdm/contract'
import { useCall } from '../../../core/api.ts'
import { appSides } from '../sides.ts'
import type { AppSide } from '../sides.ts'

/** Categories in the order in which a person reads them, each with the name of the one above in front. */
export function useCategories(side: AppSide) {
  const query = useCall(appSides[side].calls.list_category, {})
  const all: readonly AppCategory[] = query.data ?? []
  const tops = all.filter(({ parent_kid }) => parent_kid === null)
  const below = (kid: string) => all.filter(({ parent_kid }) => parent_kid === kid)
  const ordered = tops.flatMap((top) => [top, ...below(top.kid)])
  const pathOf = (kid: string | null): string => {
    const found = all.find((each) => each.kid === kid)
    if (!found) return ''
    const top = all.find((each) => each.kid === found.parent_kid)
    return top ? `${top.name} / ${found.name}` : found.name
  }
  const options = ordered.map(({ kid }) => ({ value: kid, label: pathOf(kid) }))
  return { query, tops, below, pathOf, options }
}
