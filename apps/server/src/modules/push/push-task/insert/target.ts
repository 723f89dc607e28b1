import { groupValues, whereConditions } from '@mdm/contract'
import type { PushTarget, Targets, TerminalFilter, Where, WhereGroup } from '@mdm/contract'
import { sql } from 'kysely'
import type { Actor } from '../../../../actor.ts'
import { Refusal, refuse } from '../../../../refusal.ts'
import { assertThere, isFiltered, matcherOf } from '../../../fleet/terminal-filter/index.ts'
import { groupNames, subtree } from '../../../fleet/terminal-group/index.ts'

type Named = Targets & { terminal_group_kid?: string | undefined }
/** Whom a call names. @throws `bad_input` of nobody, `group_unknown`, `device_not_found` */
export async function targetsOf(
  actor: Actor,
  { terminal_kids, terminal_group_kid: group, match }: Named,
): Promise<Targets> {
  if (!terminal_kids?.length && group === undefined && !match)
    throw new Refusal('bad_input', {}, { terminal_kids: { name: 'devices_needed' } })
  // A filter by a group that is not there matches nothing; a push to one is a mistake.
  if (group !== undefined && !any_group.includes(group) && (await subtree(actor.scope, group)).length === 0)
    refuse('group_unknown')
  if (terminal_kids?.length) await assertThere(actor.scope, [...new Set(terminal_kids)])
  return { terminal_kids, match: match ?? (group === undefined ? undefined : { terminal_group_kid: group }) }
}
const any_group: readonly string[] = [groupValues.all, groupValues.none]

const names_max = 3

/** Whom a list is for; of named devices also the file that their SNs came from. */
export type FrozenTargets = Targets & { sns_file?: string | undefined }

/** Whom a push is for, as people say it: a group by its path, devices by the SNs of the first of them. */
export async function targetOf(actor: Actor, { terminal_kids, match, sns_file }: FrozenTargets): Promise<PushTarget> {
  if (terminal_kids?.length) {
    const names = await serialNumbers(actor, terminal_kids.slice(0, names_max))
    return { kind: 'named', names, named: new Set(terminal_kids).size, is_narrowed: false, file: sns_file }
  }
  const {
    text,
    terminal_group_kid: group,
    terminal_dynamic_group_kid: dynamic,
    ...rest
  }: Partial<TerminalFilter> = match ?? {}
  const everybody = { text: text ?? '', terminal_group_kid: groupValues.all, ...rest }
  const isNarrowed = async (by: object = {}) => isFiltered(await matcherOf(actor, { ...everybody, ...by }))
  // Where they are narrowed by more than conditions, these alone would say too little.
  const conditionsOf = async (by: object = {}) =>
    rest.where && !(await isNarrowed({ ...by, where: undefined })) ? namedIn(actor, rest.where) : undefined
  if (group !== undefined && group !== groupValues.all) {
    const by = { terminal_dynamic_group_kid: dynamic }
    const is_narrowed = await isNarrowed(by)
    const conditions = await conditionsOf(by)
    if (group === groupValues.none) return { kind: 'no_group', names: [], named: 0, is_narrowed, conditions }
    return { kind: 'group', names: await groupNames(actor, group), named: 0, is_narrowed, conditions }
  }
  const is_narrowed = await isNarrowed()
  const conditions = await conditionsOf()
  if (dynamic !== undefined)
    return { kind: 'dynamic_group', names: await dynamicGroupName(actor, dynamic), named: 0, is_narrowed, conditions }
  return { kind: is_narrowed ? 'match' : 'all', names: [], named: 0, is_narrowed, conditions }
}

/** Conditions with what the fields and groups in them are called now. */
async function namedIn({ scope }: Actor, where: Where): Promise<PushTarget['conditions']> {
  const asked = whereConditions(where as WhereGroup)
  const field_kids = asked.flatMap(({ custom_field_kid }) => custom_field_kid ?? [])
  const group_kids = asked.flatMap(({ field, value }) =>
    field === 'terminal_group_kid' && Array.isArray(value) ? value.filter((kid) => kid !== groupValues.none) : [],
  )
  const fields = await scope
    .selectFrom('custom_field')
    .select(['kid', 'name', 'kind'])
    .where('kid', '=', sql<string>`any(${field_kids}::uuid[])`)
    .execute()
  const groups = await scope
    .selectFrom('terminal_group')
    .select(['kid', 'name'])
    .where('kid', '=', sql<string>`any(${group_kids}::uuid[])`)
    .execute()
  return {
    where,
    names: Object.fromEntries([...fields, ...groups].map(({ kid, name }) => [kid, name])),
    dates: fields.filter(({ kind }) => kind === 'date').map(({ kid }) => kid),
  }
}

async function serialNumbers({ scope }: Actor, kids: readonly string[]): Promise<string[]> {
  const rows = await scope.selectFrom('terminal').select('sn').where('kid', 'in', kids).orderBy('sn').execute()
  return rows.map(({ sn }) => sn)
}

async function dynamicGroupName({ scope }: Actor, kid: string): Promise<string[]> {
  const rows = await scope.selectFrom('terminal_dynamic_group').select('name').where('kid', '=', kid).execute()
  return rows.map(({ name }) => name)
}
