import { holds, permissions } from '@mdm/contract'
import type { Grantable, Permission } from '@mdm/contract'
import type { ScreenGroup } from '../../screen/screen.ts'
import { screens } from '../../screens.ts'

export type PageName = Exclude<Permission, `${string}:${string}`>
export type Action = Permission extends infer P ? (P extends `${string}:${infer A}` ? A : never) : never
/** Of devices the same permission is for deregistering, which is another word than of tasks. */
type Word = Action | 'deregister'
type Words = {
  group: (group: ScreenGroup) => string
  page: (page: PageName) => string
  action: (action: Word) => string
}

const pageOf = (name: Permission) => name.split(':')[0] as PageName
/** Only the provider's own people can use it, whoever holds it: all of its screens are theirs. */
const isOfProvider = (page: PageName): boolean => {
  const its = screens.filter(({ needs }) => needs === page)
  return its.length > 0 && its.every(({ end_type }) => end_type === 2)
}

/**
 * What a person holds and can use, as the console groups its screens, with names in the person's language. Made here and not read
 * from the menu: the menu leaves out what is hidden and, outside a customer, the customers' side, and lists of what can
 * be granted are for those who make roles.
 */
export function ownGrantable(held: readonly string[], is_ops: boolean, words: Words): Grantable[] {
  const mine = permissions.filter((name) => holds(held, name) && (is_ops || !isOfProvider(pageOf(name))))
  const pages = [...new Set(mine.map(pageOf))]
  const groupOf = (page: PageName) => screens.find(({ needs }) => needs === page)?.group ?? null
  const groups = [...new Set(screens.map(({ group }) => group))].filter((group) =>
    pages.some((page) => groupOf(page) === group),
  )
  // One language is shown at a time, and the words come in it.
  const named = (word: string) => ({ en: word, vi: word, 'zh-cn': word })
  return [
    ...groups.map((group) => entry('group', `group:${group}`, null, null, named(words.group(group)))),
    ...pages.map((page) => {
      const group = groupOf(page)
      return {
        ...entry('page', page, page, group && `group:${group}`, named(words.page(page))),
        may_grant: holds(held, page),
      }
    }),
    ...mine.flatMap((name) => {
      const action = name.split(':')[1] as Action | undefined
      return action
        ? [
            entry(
              'operation',
              name,
              name,
              pageOf(name),
              named(words.action(name === 'deviceList:cancel' ? 'deregister' : action)),
            ),
          ]
        : []
    }),
  ]
}

const entry = (
  type: Grantable['type'],
  code: string,
  permission: Permission | null,
  parent_code: string | null,
  name: Grantable['name'],
): Grantable => ({ type, code, permission, parent_code, name, may_grant: true })
