import { limits } from '@mdm/device-link'
import type { RefusedPart } from '@mdm/device-link'
import * as z from 'zod'

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]
type Holder = Record<PropertyKey, unknown>

/** A part that cannot go without its whole takes that along; no payload is deeper. */
const rounds = 12
/** The last place is for the number of those that are not listed. */
const listed_max = limits.refused_parts - 1
/** Of a list so many wrong elements are mended, which costs a sentence for each fault; the others go whole. */
const mended_max = 100
/** What stands for an element until its array is closed up: the others keep their places while they are looked at. */
const gone = Symbol('gone')

/** A device that does not know the time is dated by the server, as one whose clock is off. */
const unknown_time = '1970-01-01T00:00:00Z'

/**
 * Brings a payload to what its schema says: texts and lists that are too long are cut, what else breaks it is left out
 * alone, or with the part that cannot be without it. `undefined` when nothing is left that could be stored. null is as if
 * it had not been said.
 */
export function mend<T>(schema: z.ZodType<T>, said: unknown): { value: T | undefined; parts: RefusedPart[] } {
  const parts: RefusedPart[] = []
  /** Where something was wrong: each is told once, and above a number of them only counted. */
  const wrong = new Set<string>()
  const left_out = thinOut(schema, said)
  const told = () => {
    const more = wrong.size - parts.length + left_out
    return more > 0
      ? [...parts, { path: '', reason: 'too_many' as const, message: `${more} more parts are wrong` }]
      : parts
  }
  const root = { payload: said }
  for (let round = 0; round < rounds && root.payload !== undefined; round++) {
    let sentences = 0
    const parsed = schema.safeParse(root.payload, {
      error: () => (wrong.size < listed_max && ++sentences <= listed_max ? undefined : '-'),
    })
    if (parsed.success) return { value: parsed.data, parts: told() }
    const issues = parsed.error.issues.filter((issue) => valueAt(root, issue.path) !== gone)
    // Only now, so that the others have kept their places until they were told.
    if (issues.length === 0) closeUp(root)
    for (const issue of issues) {
      const path = textOf(issue.path)
      const value = valueAt(root, issue.path)
      // What lacks only because it was taken out before was told then.
      if (value !== null && !wrong.has(path)) {
        wrong.add(path)
        if (parts.length < listed_max)
          parts.push({ path, reason: reasonOf(issue, value), message: issue.message.slice(0, 300) })
      }
      mendAt(root, ['payload', ...issue.path], issue)
    }
  }
  if (parts.length === 0) parts.push({ path: '', reason: 'wrong', message: 'nothing is left of it' })
  return { value: undefined, parts: told() }
}

/** Leaves out of long lists what is wrong beyond what is worth mending; how many that were. To find one wrong is cheap. */
function thinOut(schema: z.core.$ZodType, said: unknown): number {
  if (schema instanceof z.ZodOptional) return thinOut(schema.unwrap(), said)
  if (schema instanceof z.ZodObject && typeof said === 'object' && said !== null)
    return Object.entries(schema.shape as z.core.$ZodShape).reduce(
      (sum, [key, each]) => sum + thinOut(each, (said as Holder)[key]),
      0,
    )
  if (!(schema instanceof z.ZodArray) || !Array.isArray(said) || said.length <= mended_max) return 0
  let wrong = 0
  const kept = said.filter((each) => z.safeParse(schema.element, each).success || ++wrong <= mended_max)
  said.splice(0, said.length, ...kept)
  return Math.max(0, wrong - mended_max)
}

function reasonOf(issue: Issue, value: unknown): RefusedPart['reason'] {
  if (value === undefined) return 'missing'
  if (mostOf(issue, value) !== undefined) return 'too_long'
  return issue.code === 'too_big' || issue.code === 'too_small' ? 'out_of_range' : 'wrong'
}

function mendAt(root: Holder, path: Path, issue: Issue): void {
  const holder: unknown = at(root, path.slice(0, -1))
  const key = path.at(-1)!
  // Its whole went a moment ago.
  if (typeof holder !== 'object' || holder === null) return
  put(root, holder as Holder, path, key, issue)
}

function put(root: Holder, holder: Holder, path: Path, key: PropertyKey, issue: Issue): void {
  const value = holder[key]
  const most = mostOf(issue, value)
  if (most !== undefined) holder[key] = cut(value as string | unknown[], most)
  else if (key === 'device_time' && path.length === 2) holder[key] = unknown_time
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
  const inner = issue.errors.flat().find(({ code, path }) => code === 'too_big' && path.length === 0)
  return inner && mostOf(inner, value)
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

const textOf = (path: Path): string => path.map(String).join('.').slice(0, 300)
