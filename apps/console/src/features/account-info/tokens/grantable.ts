import { holds, pageGroups, pageList } from '@mdm/contract'
import type { Grantable, Page, Permission, Text } from '@mdm/contract'

/**
 * What a person holds and can use, as the console groups its pages. Made here and not read from the menu: the menu leaves
 * out what is hidden and, outside a customer, the customers' side, and lists of what can be granted are for those who make
 * roles.
 */
export function ownGrantable(held: readonly string[], is_ops: boolean): Grantable[] {
  const holdsOf = (page: Page) => ({
    page,
    may_grant: holds(held, page.name),
    operations: page.operations.filter(({ code }) => holds(held, code)),
  })
  const mine = pageList
    .filter((page) => page.needs === page.name)
    // Only the provider's own people can use the provider's pages, whoever holds them.
    .filter((page) => is_ops || page.end_type === 1)
    .map(holdsOf)
    .filter(({ may_grant, operations }) => may_grant || operations.length > 0)
  const groups = pageGroups.filter(({ code }) => mine.some(({ page }) => page.group === code))
  return [
    ...groups.map(({ code, title }) => entry('group', `group:${code}`, null, null, title)),
    ...mine.map(({ page, may_grant }) => ({
      ...entry('page', page.name, page.name as Permission, `group:${page.group}`, page.title),
      may_grant,
    })),
    ...mine.flatMap(({ page, operations }) =>
      operations.map(({ code, title }) => entry('operation', code, code, page.name, title)),
    ),
  ]
}

const entry = (
  type: Grantable['type'],
  code: string,
  permission: Permission | null,
  parent_code: string | null,
  name: Text,
): Grantable => ({ type, code, permission, parent_code, name, may_grant: true })
