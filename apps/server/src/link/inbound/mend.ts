import type * as z from 'zod'

/** A place of a payload that breaks the schema, as the device is told it. */
export type Refused = { path: string; reason: string }
type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]
type Holder = Record<PropertyKey, unknown>

/** More of one message are not listed: whoever mends these finds the others. */
const most_listed = 20
/** A part that cannot go without its whole takes that along; no payload is deeper. */
const rounds = 8
/** What stands for an element until its array is closed up: the others keep their places while they are looked at. */
const gone = Symbol('gone')

/**
 * Brings a payload to what its schema says: texts and lists that are too long are cut, what else breaks it is left out
 * alone, or with the part that cannot be without it. `undefined` when nothing is left that could be stored. null is as if
 * it had not been said.
 */
export function mend<T>(schema: z.ZodType<T>, said: unknown): { value: T | undefined; refused: Refused[] } {
  const refused: Refused[] = []
  const root = { payload: said }
  for (let round = 0; round < rounds; round++) {
    const parsed = schema.safeParse(root.payload)
    if (parsed.success) return { value: parsed.data, refused }
    for (const issue of parsed.error.issues) {
      const is_null = valueAt(root, issue.path) === null
      // What lacks only because it was taken out before was told then.
      const is_told = refused.some(({ path }) => path.startsWith(textOf(issue.path)))
      if (!is_null && !is_told && refused.length < most_listed)
        refused.push({ path: textOf(issue.path), reason: issue.message })
      mendAt(root, ['payload', ...issue.path], issue)
    }
    closeUp(root)
    if (root.payload === undefined) break
  }
  return { value: undefined, refused }
}

function mendAt(root: Holder, path: Path, issue: Issue): void {
  const holder = at(root, path.slice(0, -1))
  const key = path.at(-1)!
  // Its whole went a moment ago.
  if (holder === undefined || holder === gone) return
  const value = holder[key]
  const most = mostOf(issue, value)
  if (most !== undefined) holder[key] = cut(value as string | unknown[], most)
  else if (key === 'progress' && typeof value === 'number') holder[key] = Math.min(100, Math.max(0, value))
  else if (Array.isArray(holder)) holder[key as number] = gone
  else if (value !== undefined) delete holder[key]
  // It lacks, and is needed: then its whole goes too.
  else if (path.length > 1) mendAt(root, path.slice(0, -1), { ...issue, code: 'custom' } as Issue)
}

/** How long a text or a list may be that is longer. One of several kinds (`union`) is looked into. */
function mostOf(issue: Issue, value: unknown): number | undefined {
  if (typeof value !== 'string' && !Array.isArray(value)) return undefined
  if (issue.code === 'too_big' && value.length > Number(issue.maximum)) return Number(issue.maximum)
  if (issue.code !== 'invalid_union') return undefined
  return issue.errors.flat().find((inner) => inner.code === 'too_big' && inner.path.length === 0)?.maximum as
    number | undefined
}

/** Never through the middle of a character. */
const cut = (value: string | unknown[], most: number): string | unknown[] =>
  typeof value === 'string' ? value.slice(0, most).replace(/[\ud800-\udbff]$/, '') : value.slice(0, most)

const at = (root: Holder, path: Path): Holder | undefined =>
  path.reduce<Holder | undefined>(
    (holder, key) => (typeof holder === 'object' && holder !== null ? (holder[key] as Holder) : undefined),
    root,
  )
const valueAt = (root: { payload: unknown }, path: Path): unknown => at(root, ['payload', ...path])

/** Elements that went leave no holes. */
function closeUp(holder: Holder): void {
  for (const [key, value] of Object.entries(holder)) {
    if (Array.isArray(value) && value.includes(gone)) holder[key] = value.filter((item) => item !== gone)
    const kept = holder[key]
    if (typeof kept === 'object' && kept !== null) closeUp(kept as Holder)
  }
}

const textOf = (path: Path): string => path.map(String).join('.')
