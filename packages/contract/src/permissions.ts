import { pageList } from './pages.ts'
import type { DeclaredPages, PageName } from './pages.ts'

type Guarded = { [N in PageName]: DeclaredPages[N] extends { needs: string } ? never : N }[PageName]
type Operation = {
  [N in PageName]: DeclaredPages[N] extends { operations: infer O } ? `${N}:${keyof O & string}` : never
}[PageName]
export type Permission = Guarded | Operation

/**
 * Every permission. A page's is its name, the camelCase of its path; a button's is `<page>:<operation>`. Roles hold these
 * names or patterns with `*`. The contract's `needs` accepts nothing else.
 */
export const permissions: readonly Permission[] = pageList.flatMap(({ name, needs, operations }) => [
  ...(needs === name ? [name as Permission] : []),
  ...operations.map(({ code }) => code),
])

/** Whether one of the held names or patterns (`*` matches anything) covers `wanted`. */
export const holds = (held: readonly string[], wanted: string): boolean =>
  held.some((pattern) => covers(pattern, wanted))

/** Every permission that the held names and patterns cover. */
export const elementsOf = (held: readonly string[]): Permission[] => permissions.filter((name) => holds(held, name))

/**
 * What of `wanted` goes beyond `held`. A pattern is within when a held pattern covers it as it is written: what it
 * covers is then covered as well, also by permissions that do not exist yet.
 */
export const beyond = (wanted: readonly string[], held: readonly string[]): string[] =>
  wanted.filter((name) => !holds(held, name))

/** `wanted` without what goes beyond `held`; a pattern that does is replaced by those of its names that do not. */
export const narrowed = (wanted: readonly string[], held: readonly string[]): string[] => [
  ...new Set(
    wanted.flatMap((name) => (holds(held, name) ? [name] : elementsOf([name]).filter((one) => holds(held, one)))),
  ),
]

/**
 * Whether a pattern covers a name. Its literal parts are looked for one after the other, so no pattern that somebody
 * writes into a role can take longer than its own length times the name's, as a regular expression could.
 */
function covers(pattern: string, name: string): boolean {
  const [first, ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return pattern === name
  if (!name.startsWith(first!) || name.length < first!.length + last.length || !name.endsWith(last)) return false
  const end = name.length - last.length
  let from = first!.length
  for (const part of rest) {
    const at = name.indexOf(part, from)
    if (at < 0 || at + part.length > end) return false
    from = at + part.length
  }
  return true
}
