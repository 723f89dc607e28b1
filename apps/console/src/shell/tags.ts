import type { PageName } from '@mdm/contract'

/** A visited page or record, with the filters it was left with. */
export type Tag = { path: string; search: string; page: PageName; record?: string; name?: string }
const most = 12
/** The tabs of one record lie below one path. */
export const idOf = ({ path, record }: Pick<Tag, 'path' | 'record'>): string =>
  record === undefined ? path : `${path.slice(0, path.lastIndexOf('/'))} ${record}`

/**
 * The tags with that of a place: its own with what it is like now, or a new one. It stands in the place of a form that was left for
 * it, whose draft is saved or given up: a form leaves no tag behind, and a wizard of several pages is one.
 */
export function visited(tags: readonly Tag[], tag: Tag, form?: Tag): readonly Tag[] {
  const left = form && idOf(form) !== idOf(tag) ? idOf(form) : undefined
  const known = tags.find((each) => idOf(each) === idOf(tag))
  const next = { ...tag, name: tag.name ?? known?.name }
  if (known) return tags.filter((each) => idOf(each) !== left).map((each) => (each === known ? next : each))
  if (tags.some((each) => idOf(each) === left)) return tags.map((each) => (idOf(each) === left ? next : each))
  return [...tags, tag].slice(-most)
}
