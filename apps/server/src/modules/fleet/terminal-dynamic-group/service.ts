import { dynamic_groups_max, groupValues } from '@mdm/contract'
import type { Contract, In, TerminalDynamicGroup } from '@mdm/contract'
import { sql } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { assertRoom } from '../../../db/at-most.ts'
import { retrying } from '../../../db/retrying.ts'
import { violation } from '../../../db/violations.ts'
import { refuse } from '../../../refusal.ts'
import { newKid } from '../../../lib/ids.ts'
import { matcherOf, totalOf } from '../terminal-filter/index.ts'

type Calls = Contract['terminalDynamicGroup']['calls']
const columns = ['kid', 'name', 'where'] as const

export async function list(actor: Actor, with_counts: boolean): Promise<TerminalDynamicGroup[]> {
  const groups = await actor.scope
    .selectFrom('terminal_dynamic_group')
    .select(columns)
    .orderBy(sql`lower(name)`)
    .execute()
  if (!with_counts) return groups
  const counted: TerminalDynamicGroup[] = []
  // One after the other: a side panel may not take every connection from the list beside it.
  for (const group of groups) {
    const matcher = await matcherOf(actor, { terminal_group_kid: groupValues.all, where: group.where })
    const { total, total_is_exact } = await totalOf(actor, matcher)
    counted.push({ ...group, count: total, count_is_exact: total_is_exact })
  }
  return counted
}

export const insert = (actor: Actor, draft: In<Calls['insert']>): Promise<TerminalDynamicGroup> =>
  unlessTaken(() =>
    retrying(() =>
      actor.scope.transaction().execute(async (trx) => {
        const room = ['dynamic_group_limit', dynamic_groups_max] as const
        await assertRoom(trx, actor.account_kid, 'terminal_dynamic_group', room)
        return trx
          .insertInto('terminal_dynamic_group')
          .values({
            kid: newKid(),
            account_kid: actor.account_kid,
            name: draft.name,
            where: JSON.stringify(draft.where),
            created_at: actor.deps.clock.now(),
          })
          .returning(columns)
          .executeTakeFirstOrThrow()
      }),
    ),
  )

export async function update({ scope }: Actor, { kid, name, where }: In<Calls['update']>) {
  const row = await unlessTaken(() =>
    scope
      .updateTable('terminal_dynamic_group')
      .set({ name, where: JSON.stringify(where) })
      .where('kid', '=', kid)
      .returning(columns)
      .executeTakeFirst(),
  )
  return row ?? refuse('not_found')
}

export const remove = async ({ scope }: Actor, kid: string): Promise<{ name: string }> =>
  (await scope.deleteFrom('terminal_dynamic_group').where('kid', '=', kid).returning('name').executeTakeFirst()) ??
  refuse('not_found')

const unlessTaken = <T>(run: () => Promise<T>): Promise<T> =>
  violation(run, { terminal_dynamic_group_name: 'duplicate_name' })
