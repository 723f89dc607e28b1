import { holds } from '@mdm/contract'
import type { Grantable, Language } from '@mdm/contract'
import { matches } from '../groups/group-tree.ts'

export type Choice = {
  key: string
  name: string
  /** Of a leaf; what only holds others has none. */
  permission: string | null
  may_grant: boolean
  /** A leaf without which this one is of no use: an operation needs its page. */
  needs: string | null
  children: Choice[]
}

/** The tree of what can be granted. A page with operations holds a leaf of its own: to open it. */
export function choicesOf(grantable: readonly Grantable[], language: Language, open_label: string): Choice[] {
  const known = new Set(grantable.map(({ code }) => code))
  const below = (code: string | null) =>
    grantable.filter(({ parent_code }) => (known.has(parent_code ?? '') ? parent_code : null) === code)
  const build = (entry: Grantable, above: Grantable | undefined): Choice[] => {
    const { code, permission, may_grant } = entry
    const name = entry.name[language]
    const inner = below(code).flatMap((child) => build(child, entry))
    const needs = entry.type === 'operation' ? (above?.permission ?? null) : null
    if (inner.length === 0) {
      return permission === null ? [] : [{ key: code, name, permission, may_grant, needs, children: [] }]
    }
    const own: Choice = { key: `${code}/`, name: open_label, permission, may_grant, needs, children: [] }
    const children = permission === null ? inner : [own, ...inner]
    return [{ key: code, name, permission: null, may_grant: true, needs: null, children }]
  }
  return below(null).flatMap((entry) => build(entry, undefined))
}

export type Leaf = Choice & { permission: string }
export const leavesOf = (choices: readonly Choice[]): Leaf[] =>
  choices.flatMap((choice) => (choice.permission === null ? leavesOf(choice.children) : [choice as Leaf]))

/** The names that the tree shows, each once: several entries may stand for one permission. */
export const namesOf = (choices: readonly Choice[]): string[] => [
  ...new Set(leavesOf(choices).map(({ permission }) => permission)),
]

export type Checked = 'true' | 'false' | 'mixed'
export function checkedOf(choice: Choice, value: readonly string[]): Checked {
  const leaves = leavesOf([choice])
  const on = leaves.filter(({ permission }) => holds(value, permission)).length
  return on === 0 ? 'false' : on === leaves.length ? 'true' : 'mixed'
}

/** Turns a branch on, or off when all of it that may be changed is on. */
export function toggled(tree: readonly Choice[], choice: Choice, value: readonly string[]): string[] {
  const free = leavesOf([choice]).filter(({ may_grant }) => may_grant)
  return free.every(({ permission }) => holds(value, permission))
    ? without(tree, free, value)
    : withMore(tree, free, value)
}

function withMore(tree: readonly Choice[], leaves: readonly Leaf[], value: readonly string[]): string[] {
  const grantable = new Set(leavesOf(tree).flatMap((leaf) => (leaf.may_grant ? [leaf.permission] : [])))
  const wanted = leaves.flatMap(({ permission, needs }) =>
    needs !== null && grantable.has(needs) ? [needs, permission] : [permission],
  )
  return [...new Set([...value, ...wanted.filter((name) => !holds(value, name))])]
}

function without(tree: readonly Choice[], leaves: readonly Leaf[], value: readonly string[]): string[] {
  const gone = new Set(leaves.map(({ permission }) => permission))
  for (const { permission, needs, may_grant } of leavesOf(tree)) {
    if (needs !== null && gone.has(needs) && may_grant) gone.add(permission)
  }
  const is_hit = (pattern: string) => [...gone].some((name) => holds([pattern], name))
  // A pattern that covers what goes is replaced by the names it covers.
  const names = value.flatMap((pattern) => (is_hit(pattern) ? unfolded(tree, [pattern]) : [pattern]))
  return [...new Set(names)].filter((name) => !gone.has(name))
}

/** Patterns as the names of the tree that they cover. */
export const unfolded = (tree: readonly Choice[], value: readonly string[]): string[] =>
  namesOf(tree).filter((name) => holds(value, name))

/** What of a value no single row of the tree stands for: patterns, which also cover what comes later, and other names. */
export function namesOutside(tree: readonly Choice[], value: readonly string[]): string[] {
  const names = new Set(namesOf(tree))
  return value.filter((pattern) => pattern !== '*' && !names.has(pattern))
}

/** Only what matches by name or permission, with all that stands above it; a branch that matches stays whole. */
export function found(choices: readonly Choice[], wanted: string): Choice[] {
  if (!wanted.trim()) return [...choices]
  return choices.flatMap((choice) => {
    if (matches(choice.name, wanted) || (choice.permission !== null && matches(choice.permission, wanted))) {
      return [choice]
    }
    const children = found(choice.children, wanted)
    return children.length > 0 ? [{ ...choice, children }] : []
  })
}
