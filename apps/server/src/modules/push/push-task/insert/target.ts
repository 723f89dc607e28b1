import { groupValues } from '@mdm/contract'
import type { PushTarget, Targets, TerminalFilter } from '@mdm/contract'
import type { Actor } from '../../../../actor.ts'
import { isFiltered, matcherOf } from '../../../fleet/terminal-filter/index.ts'
import { groupNames } from '../../../fleet/terminal-group/index.ts'

const names_max = 3

/** Whom a push is for, as people say it: a group by its path, devices by the SNs of the first of them. */
export async function targetOf(actor: Actor, { terminal_kids, match }: Targets): Promise<PushTarget> {
  if (terminal_kids?.length) {
    const names = await serialNumbers(actor, terminal_kids.slice(0, names_max))
    return { kind: 'named', names, named: new Set(terminal_kids).size, is_narrowed: false }
  }
  const {
    text,
    terminal_group_kid: group,
    terminal_dynamic_group_kid: dynamic,
    ...rest
  }: Partial<TerminalFilter> = match ?? {}
  const everybody = { text: text ?? '', terminal_group_kid: groupValues.all, ...rest }
  const isNarrowed = async (by: object = {}) => isFiltered(await matcherOf(actor, { ...everybody, ...by }))
  if (group !== undefined && group !== groupValues.all) {
    const is_narrowed = await isNarrowed({ terminal_dynamic_group_kid: dynamic })
    if (group === groupValues.none) return { kind: 'no_group', names: [], named: 0, is_narrowed }
    return { kind: 'group', names: await groupNames(actor, group), named: 0, is_narrowed }
  }
  const is_narrowed = await isNarrowed()
  if (dynamic !== undefined)
    return { kind: 'dynamic_group', names: await dynamicGroupName(actor, dynamic), named: 0, is_narrowed }
  return { kind: is_narrowed ? 'match' : 'all', names: [], named: 0, is_narrowed }
}

async function serialNumbers({ scope }: Actor, kids: readonly string[]): Promise<string[]> {
  const rows = await scope.selectFrom('terminal').select('sn').where('kid', 'in', kids).orderBy('sn').execute()
  return rows.map(({ sn }) => sn)
}

async function dynamicGroupName({ scope }: Actor, kid: string): Promise<string[]> {
  const rows = await scope.selectFrom('terminal_dynamic_group').select('name').where('kid', '=', kid).execute()
  return rows.map(({ name }) => name)
}
