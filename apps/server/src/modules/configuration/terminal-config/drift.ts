import { ltscopes, sectionsOfType, groupValues } from '@mdm/contract'
import type { Contract, In } from '@mdm/contract'
import { deviceSections } from '@mdm/contract/config/sections.ts'
import { sql } from 'kysely'
import type { SelectQueryBuilder } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { containing, readPage } from '../../../db/paging.ts'
import { groupBy } from '../../../link/group-by.ts'
import { refuse } from '../../../refusal.ts'
import { anyOf, forTargets } from '../../fleet/terminal-filter/index.ts'
import { subtree } from '../../fleet/terminal-group/index.ts'
import { groupsBelow } from './affected.ts'
import { isWaiting, notAnnounced, deliveryColumns, deliveryOf, absenceOf } from './delivery.ts'
import { settingsFor } from './levels.ts'
import { usedBy, usesBySection } from './profile-uses.ts'

type Calls = Contract['terminalConfig']['calls']

/** Kids of a group and all below it; refused as not found beyond the user's groups. */
async function groupsOf({ scope, visible_groups }: Actor, kid: string): Promise<string[]> {
  const found = (await subtree(scope, kid)).map((group) => group.kid)
  if (found.length === 0 || (visible_groups && !visible_groups.includes(kid))) return refuse('not_found')
  return found
}

/** Devices that do not go by what holds for them, each with why. */
export async function drift(actor: Actor, input: In<Calls['drift']>) {
  const { scope } = actor
  const { text, cause, section, terminal_group_kid, change_kid } = input
  const groups = terminal_group_kid === undefined ? undefined : await groupsOf(actor, terminal_group_kid)
  const page = await readPage({
    query: scope
      .selectFrom('terminal as t')
      .innerJoin('terminal_config_delivery as d', 'd.terminal_kid', 't.kid')
      .innerJoin('terminal_state as s', 's.terminal_kid', 't.kid')
      .where((eb) => {
        const bad = (outcomes: ('failed' | 'not_supported')[]) =>
          eb.and([
            sql<boolean>`NOT ${isWaiting}`,
            eb.exists(
              eb
                .selectFrom('terminal_config_result as r')
                .whereRef('r.terminal_kid', '=', 't.kid')
                .where('r.outcome', 'in', outcomes)
                .$if(section !== undefined, (q) => q.where('r.section', '=', section!))
                .select('r.section'),
            ),
          ])
        const unheard = sql<boolean>`(NOT ${isWaiting} AND cardinality(${notAnnounced}) > 0)`
        const is_new = eb('s.config_version', 'is', null)
        if (cause === 'not_connected') return eb.and([isWaiting, is_new])
        if (cause === 'waiting') return eb.and([isWaiting, eb.not(is_new)])
        if (cause === 'failed') return bad(['failed'])
        if (cause === 'not_supported') return eb.or([bad(['not_supported']), unheard])
        return eb.or([isWaiting, bad(['failed', 'not_supported']), unheard])
      })
      .$if(groups !== undefined, (q) => q.where('t.terminal_group_kid', 'in', groups!))
      .$if(change_kid !== undefined, (q) => q.where('d.change_kid', '=', change_kid!))
      .$if(Boolean(text), (q) =>
        q.where(sql<boolean>`(lower(t.sn) LIKE ${containing(text!)} OR lower(t.name) LIKE ${containing(text!)})`),
      )
      .select([
        't.kid',
        't.sn',
        't.name',
        't.terminal_group_kid',
        's.is_online',
        's.last_online_at',
        ...deliveryColumns,
      ]),
    input,
    columns: { sn: { ref: sql`t.sn` }, last_online_at: { ref: sql`s.last_online_at`, is_nullable: true } },
    key: sql`t.kid`,
  })
  const kids = page.items.map(({ kid }) => kid)
  const results =
    kids.length === 0
      ? []
      : await scope
          .selectFrom('terminal_config_result')
          .select(['terminal_kid', 'section', 'outcome', 'reason', 'message'])
          .where('terminal_kid', 'in', kids)
          .orderBy('section')
          .execute()
  const said = groupBy(results, ({ terminal_kid }) => terminal_kid)
  return {
    ...page,
    items: page.items.map(({ is_waiting, not_announced, sections_told, ...row }) => {
      const mine = new Map(
        said.get(row.kid)?.map(({ terminal_kid: _kid, ...cause_of }) => [cause_of.section, cause_of]),
      )
      const state = deliveryOf({ ...row, is_waiting, not_announced, sections_told }, mine)
      const absence = absenceOf(state, row.is_online)
      const bad = [...mine.values()].filter(({ outcome }) => outcome !== 'applied')
      const unheard = not_announced
        .filter((each) => !bad.some(({ section: known }) => known === each))
        .map((each) => ({ section: each, outcome: 'not_supported' as const, reason: 'not_announced', message: null }))
      return {
        ...row,
        state,
        causes: absence ? [{ section: '', ...absence }] : [...bad, ...unheard],
      }
    }),
  }
}

/** A new version of the same: devices do all sections again, also those that they had done. */
export async function retry(actor: Actor, { terminal_kids, match }: In<Calls['retry']>): Promise<number> {
  const { deps, account_kid } = actor
  const told = await forTargets(actor, { terminal_kids, match }, async (trx, kids) => {
    const { numInsertedOrUpdatedRows } = await trx
      .insertInto('terminal_config_delivery')
      .columns(['terminal_kid', 'version', 'is_forced', 'send_at'])
      .expression((eb) =>
        eb
          .selectFrom('terminal as t')
          .select([
            't.kid',
            sql.lit(0).as('version'),
            sql.lit(true).as('is_forced'),
            sql<Date>`'epoch'::timestamptz`.as('send_at'),
          ])
          .where('t.kid', '=', anyOf(kids))
          .orderBy('t.kid'),
      )
      .onConflict((row) =>
        row.column('terminal_kid').doUpdateSet({ is_dirty: true, is_forced: true, sends: 0, send_at: new Date(0) }),
      )
      .executeTakeFirstOrThrow()
    return Number(numInsertedOrUpdatedRows)
  })
  // Of those that match there may be a whole account.
  for (const kid of terminal_kids ?? [account_kid]) deps.live.publish(account_kid, { type: 'terminal_config', kid })
  deps.link.wake(terminal_kids ?? [])
  return told
}

type Devices = SelectQueryBuilder<any, any, object>
/** Devices of a group by how far they are with one kind. */
export async function statistics(actor: Actor, input: In<Calls['get_statistical_result']>) {
  const { scope } = actor
  const { terminal_group_kid, type } = input
  const groups = await scope.selectFrom('terminal_group').select(['kid', 'parent_kid']).execute()
  const is_all = terminal_group_kid === groupValues.all
  const is_none = terminal_group_kid === groupValues.none
  const wanted = is_all || is_none ? undefined : await groupsOf(actor, terminal_group_kid)
  const sections = sectionsOfType(type).filter((section) => deviceSections.includes(section))
  const settings = await settingsFor(actor, null)
  // Everything below a group where the kind is set is configured, and all devices where it is set above the groups.
  const is_set_above = sections.some(
    (section) =>
      settings(section, { ltscope: ltscopes.platform, kid: null }) ||
      settings(section, { ltscope: ltscopes.account, kid: null }),
  )
  const tops = groups.filter(({ kid }) => sections.some((one) => settings(one, { ltscope: ltscopes.group, kid })))
  const configured = [...new Set(tops.flatMap(({ kid }) => groupsBelow(groups, kid, new Set())))]
  const uses = [
    ...(await usesBySection(scope, actor.account_kid, sections.length > 0 ? sections : ['collection'])).values(),
  ].flat()
  const is_configured = is_set_above
    ? sql<boolean>`true`
    : sql<boolean>`(COALESCE(t.terminal_group_kid = ANY(${configured}::uuid[]), false) OR o.own IS NOT NULL
        OR ${usedBy(uses, groups)})`
  const own = scope
    .selectFrom('terminal_config as c')
    .select(['c.terminal_kid as own'])
    .distinct()
    .where('c.ltscope', '=', ltscopes.terminal)
    .where('c.section', 'in', sections.length > 0 ? sections : ['collection'])
  const bad = scope
    .selectFrom('terminal_config_result as r')
    .select((eb) => [
      'r.terminal_kid as bad_kid',
      eb.fn.max(sql<number>`CASE WHEN r.outcome = 'failed' THEN 1 ELSE 0 END`).as('failed'),
      eb.fn.max(sql<number>`CASE WHEN r.outcome = 'not_supported' THEN 1 ELSE 0 END`).as('not_supported'),
    ])
    .where('r.outcome', '<>', 'applied')
    .where('r.section', 'in', sections.length > 0 ? sections : ['collection'])
    .groupBy('r.terminal_kid')
  const waiting = isWaiting
  const row = await (
    scope
      .selectFrom('terminal as t')
      .leftJoin('terminal_config_delivery as d', 'd.terminal_kid', 't.kid')
      .leftJoin('terminal_state as s', 's.terminal_kid', 't.kid')
      .leftJoin(own.as('o'), 'o.own', 't.kid')
      .leftJoin(bad.as('b'), 'b.bad_kid', 't.kid')
      .$if(wanted !== undefined, (q) => q.where('t.terminal_group_kid', 'in', wanted!))
      .$if(is_none, (q) => q.where('t.terminal_group_kid', 'is', null)) as unknown as Devices
  )
    .select([
      sql<number>`count(*)::int`.as('total'),
      sql<number>`(count(*) FILTER (WHERE NOT ${is_configured}))::int`.as('not_configured'),
      sql<number>`(count(*) FILTER (WHERE ${is_configured} AND ${waiting}))::int`.as('modify'),
      sql<number>`(count(*) FILTER (WHERE ${is_configured} AND NOT ${waiting}))::int`.as('modified'),
      sql<number>`(count(*) FILTER (WHERE ${is_configured} AND NOT ${waiting} AND b.failed = 1))::int`.as('failed'),
      sql<number>`(count(*) FILTER (WHERE ${is_configured} AND NOT ${waiting} AND b.not_supported = 1))::int`.as(
        'not_supported',
      ),
    ])
    .executeTakeFirstOrThrow()
  return row
}
