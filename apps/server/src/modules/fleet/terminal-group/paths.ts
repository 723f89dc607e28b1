import { constants, groupPath } from '@mdm/contract'
import type { Actor } from '../../../actor.ts'
import { readTree } from './tree.ts'
import type { GroupTree } from './tree.ts'

const name_max = 64

/** Groups by the path of their names, in any letter case. A name may have a slash in it: what two groups are written as is neither. */
export type GroupPaths = {
  /** Its kid; null of a path that several groups have. */
  at(path: string): string | null | undefined
  add(path: string, kid: string): void
  /** The nearest group above that is there, and the names of those below it that are not. */
  above(path: string): { kid: string | null | undefined; missing: string[] }
}

export function pathsOf(tree: GroupTree): GroupPaths {
  const key = (path: string) => path.toLowerCase()
  const kids = new Map<string, string | null>()
  const written = new Map<string, string>()
  for (const { kid, parent_kid, name } of tree.below(null)) {
    const path = groupPath([...(parent_kid === null ? [] : [written.get(parent_kid)!]), name].join('/'))
    written.set(kid, path)
    kids.set(key(path), kids.has(key(path)) ? null : kid)
  }
  return {
    at: (path) => kids.get(key(path)),
    add: (path, kid) => void kids.set(key(path), kid),
    above(path) {
      const names = path.split('/')
      for (let depth = names.length - 1; depth > 0; depth -= 1) {
        const kid = kids.get(key(names.slice(0, depth).join('/')))
        if (kid !== undefined) return { kid, missing: names.slice(depth) }
      }
      return { kid: undefined, missing: names }
    },
  }
}

export type NoGroup = 'row_group_unknown' | 'row_group_ambiguous' | 'group_too_deep'
/** What a path that somebody wrote stands for, among the groups that the actor sees. */
export type ReadPaths = {
  /** The group, or why there is none. */
  find(path: string): { kid: string } | { refusal: NoGroup }
  /** Whether the actor may create it, as far as groups are concerned. */
  isCreatable(path: string): boolean
}

export async function readPaths({ scope, visible_groups }: Actor): Promise<ReadPaths> {
  const tree = await readTree(scope, visible_groups)
  const paths = pathsOf(tree)
  const isTooDeep = (path: string): boolean => {
    const { kid, missing } = paths.above(path)
    return (kid ? tree.row(kid)!.depth : 0) + missing.length > constants.group_depth
  }
  return {
    find(path) {
      const kid = paths.at(path)
      if (kid) return { kid }
      if (kid === null) return { refusal: 'row_group_ambiguous' }
      return { refusal: isTooDeep(path) ? 'group_too_deep' : 'row_group_unknown' }
    },
    isCreatable(path) {
      const { kid, missing } = paths.above(path)
      if (kid === null || (kid === undefined && visible_groups)) return false
      return !isTooDeep(path) && missing.every((name) => name.length <= name_max && !/\p{Cc}/u.test(name))
    },
  }
}
