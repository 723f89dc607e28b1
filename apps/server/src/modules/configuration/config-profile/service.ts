import { groupValues, isSection, ltscopes, profile_uses_max, profiles_max } from '@mdm/contract'
import type { ConfigAffected, ConfigSection, Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely, RawBuilder } from 'kysely'
import { assertWhole } from '../../../actor.ts'
import type { Actor } from '../../../actor.ts'
import { transactionThen } from '../../../db/after-commit.ts'
import { assertRoom } from '../../../db/at-most.ts'
import { lockAccount } from '../../../db/lock-account.ts'
import { containing, readPage } from '../../../db/paging.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { violation } from '../../../db/violations.ts'
import { wake } from '../../../lib/background.ts'
import { newKid } from '../../../lib/ids.ts'
import { refuse } from '../../../refusal.ts'
import { kidsOf } from '../../fleet/terminal-filter/index.ts'
import type { Hit } from '../../people/brakes/index.ts'
import {
  countDevices,
  devicesWhere,
  platformRows,
  publishChange,
  queueDelivery,
  takesHold,
  usedBy,
  whichever,
  writePlace,
} from '../terminal-config/index.ts'
import { profileMembers } from './members.ts'

type Calls = Contract['configProfile']['calls']
type Db = Kysely<Tables>
type Use = In<Calls['remove_use']>

/** Uses that the user reaches: of groups and devices within their groups; dynamic groups are the whole account's. */
const usesOf = ({ scope, visible_groups }: Actor) =>
  scope
    .selectFrom('config_profile_use as u')
    .leftJoin('terminal_group as g', 'g.kid', 'u.terminal_group_kid')
    .leftJoin('terminal_dynamic_group as d', 'd.kid', 'u.terminal_dynamic_group_kid')
    .leftJoin('terminal as t', 't.kid', 'u.terminal_kid')
    .where((eb) =>
      eb.or([
        visible_groups
          ? sql<boolean>`COALESCE(u.terminal_group_kid = ANY(${[...visible_groups]}::uuid[]), false)`
          : eb('g.kid', 'is not', null),
        eb('d.kid', 'is not', null),
        eb('t.kid', 'is not', null),
      ]),
    )

const profilesOf = (actor: Actor) =>
  actor.scope
    .selectFrom('config_profile as p')
    .selectAll('p')
    .select([
      actor.scope
        .selectFrom('terminal_config as c')
        .whereRef('c.profile_kid', '=', sql.ref('p.kid'))
        .select(sql<string[]>`COALESCE(array_agg(c.section ORDER BY c.section), '{}')`.as('set'))
        .$asScalar()
        .$notNull()
        .as('sections'),
      usesOf(actor)
        .whereRef('u.profile_kid', '=', sql.ref('p.kid'))
        .select(sql<number>`count(*)::int`.as('n'))
        .$asScalar()
        .$notNull()
        .as('uses'),
    ])

export const paging = (actor: Actor, input: In<Calls['paging']>) =>
  readPage({
    query: profilesOf(actor).$if(Boolean(input.text), (q) =>
      q.where(sql<boolean>`lower(p.name) LIKE ${containing(input.text!)}`),
    ),
    input,
    columns: { name: { ref: sql`lower(p.name)` }, created_at: { ref: sql`p.created_at`, order: 'desc' } },
    key: sql`p.kid`,
  })

export const get = async (actor: Actor, kid: string) =>
  (await profilesOf(actor).where('p.kid', '=', kid).executeTakeFirst()) ?? refuse('not_found')

const named = <T>(run: () => Promise<T>) => violation(run, { config_profile_name: 'duplicate_name' })

export async function insert(actor: Actor, draft: In<Calls['insert']>): Promise<string> {
  const { scope, account_kid, user, deps } = actor
  assertWhole(actor)
  const kid = newKid()
  const by = { created_by_kid: user.kid, created_by: user.name, created_at: deps.clock.now() }
  await named(() =>
    scope.transaction().execute(async (trx) => {
      await assertRoom(trx, account_kid, 'config_profile', ['profile_limit', profiles_max])
      await trx
        .insertInto('config_profile')
        .values({ kid, account_kid, ...draft, ...by })
        .execute()
    }),
  )
  return kid
}

export async function update(actor: Actor, { kid, ...about }: In<Calls['update']>): Promise<void> {
  assertWhole(actor)
  const done = await named(() =>
    actor.scope.updateTable('config_profile').set(about).where('kid', '=', kid).executeTakeFirst(),
  )
  if (done.numUpdatedRows === 0n) refuse('not_found')
}

/** Refused while somebody uses it: no device loses what holds for it by that. */
export async function remove(actor: Actor, kid: string): Promise<{ name: string }> {
  assertWhole(actor)
  return actor.scope.transaction().execute(async (trx) => {
    await lockAccount(trx, actor.account_kid)
    const used = await trx
      .selectFrom('config_profile_use')
      .select('kid')
      .where('profile_kid', '=', kid)
      .limit(1)
      .execute()
    if (used.length > 0) refuse('delete_failed')
    const gone = await trx.deleteFrom('config_profile').where('kid', '=', kid).returning('name').executeTakeFirst()
    return gone ?? refuse('not_found')
  })
}

export async function listUses(actor: Actor, kid: string) {
  await get(actor, kid)
  return usesOf(actor)
    .select(['u.kid', 'u.terminal_group_kid', 'u.terminal_dynamic_group_kid', 'u.terminal_kid', 'u.position'])
    .select(['u.created_by', 'u.created_at'])
    .select(sql<string>`COALESCE(g.name, d.name, NULLIF(t.name, ''), t.sn)`.as('name'))
    .where('u.profile_kid', '=', kid)
    .orderBy('u.position')
    .orderBy('u.kid', 'desc')
    .execute()
}

/** What the target of a use is called; refused as not found where the account, or the user, has no such thing. */
async function targetName({ scope, visible_groups }: Actor, use: Use): Promise<string> {
  const { terminal_group_kid: group, terminal_dynamic_group_kid: dynamic, terminal_kid: device } = use
  if (group && visible_groups && !visible_groups.includes(group)) refuse('not_found')
  const found = group
    ? await scope.selectFrom('terminal_group').select('name').where('kid', '=', group).executeTakeFirst()
    : dynamic
      ? await scope.selectFrom('terminal_dynamic_group').select('name').where('kid', '=', dynamic).executeTakeFirst()
      : await scope.selectFrom('terminal').select('sn as name').where('kid', '=', device!).executeTakeFirst()
  return found?.name ?? refuse('not_found')
}

/** The devices (`t`) of a target: of a dynamic group those that match its conditions now. */
async function devicesIn(actor: Actor, use: Use): Promise<RawBuilder<boolean>> {
  const { scope, account_kid } = actor
  const mine = sql`t.account_kid = ${account_kid}`
  const { terminal_group_kid = null, terminal_dynamic_group_kid, terminal_kid = null } = use
  if (terminal_dynamic_group_kid) {
    const matching = await kidsOf(actor, { terminal_group_kid: groupValues.all, terminal_dynamic_group_kid })
    return matching ? sql<boolean>`${mine} AND t.kid IN ${matching}` : sql<boolean>`${mine}`
  }
  const groups = await scope.selectFrom('terminal_group').select(['kid', 'parent_kid']).execute()
  const target = { kid: newKid(), terminal_group_kid, terminal_dynamic_group_kid: null, terminal_kid }
  return sql<boolean>`${mine} AND ${usedBy([target], groups)}`
}

const setIn = ({ scope }: Actor, profile_kid: string) =>
  scope.selectFrom('terminal_config').select(['section', 'value']).where('profile_kid', '=', profile_kid).execute()

/** The devices of a target that have not set all of these sections themselves. */
async function devicesFollowing(
  actor: Actor,
  use: Use,
  sections: readonly string[],
): Promise<RawBuilder<boolean> | null> {
  if (sections.length === 0) return null
  // One look for all devices: asked of each of them, it takes seconds for a large account.
  return sql<boolean>`${await devicesIn(actor, use)} AND t.kid NOT IN (
    SELECT o.terminal_kid FROM terminal_config o
    WHERE o.account_kid = ${actor.account_kid} AND o.section = ANY(${[...sections]}::text[]) AND o.terminal_kid IS NOT NULL
    GROUP BY o.terminal_kid HAVING count(*) = ${new Set(sections).size})`
}

/** Before a profile is used somewhere, or no longer: what it sets, and the devices that may change by it. */
export async function useAffected(actor: Actor, use: Use): Promise<ConfigAffected> {
  await get(actor, use.profile_kid)
  await targetName(actor, use)
  const sections = (await setIn(actor, use.profile_kid)).map(({ section }) => section).filter(isSection)
  const following = await devicesFollowing(actor, use, sections)
  return devicesWhere(actor.deps.db, sections, following, actor.visible_groups)
}

/** Devices that using the profile would take hold of. */
export async function hitByUse(actor: Actor, use: Use): Promise<Hit> {
  const set = await setIn(actor, use.profile_kid)
  return hitBy(
    actor,
    use,
    set.flatMap(({ section, value }) => (isSection(section) && takesHold(section, undefined, value) ? [section] : [])),
  )
}

/** Devices that what is set elsewhere could take hold of, once the profile is not used there. */
export async function hitByEnd(actor: Actor, use: Use): Promise<Hit> {
  const sections = (await setIn(actor, use.profile_kid)).map(({ section }) => section)
  const others = await actor.scope
    .selectFrom('terminal_config')
    .select(['section', 'value'])
    .where('ltscope', '<', ltscopes.terminal)
    .where(sql<boolean>`profile_kid IS DISTINCT FROM ${use.profile_kid}::uuid`)
    .execute()
  const held = [...others, ...(await platformRows(actor.deps))].flatMap(({ section, value }) =>
    sections.includes(section) && isSection(section) && takesHold(section, undefined, value) ? [section] : [],
  )
  return hitBy(actor, use, held)
}

async function hitBy(actor: Actor, use: Use, sections: readonly ConfigSection[]): Promise<Hit> {
  const devices = await countDevices(actor.deps.db, await devicesFollowing(actor, use, sections))
  return { devices, is_lasting: use.terminal_kid === undefined && sections.length > 0 }
}

/** The row of a use of the profile by this target. */
const isOf = ({ profile_kid, terminal_group_kid, terminal_dynamic_group_kid, terminal_kid }: Use) => {
  const target = terminal_group_kid ?? terminal_dynamic_group_kid ?? terminal_kid!
  return sql<boolean>`profile_kid = ${profile_kid}
    AND COALESCE(terminal_group_kid, terminal_dynamic_group_kid, terminal_kid) = ${target}`
}

/** From now on the target uses the profile, or at another position. Answers with its name. */
export async function addUse(actor: Actor, { position, ...use }: In<Calls['add_use']>): Promise<string> {
  assertWhole(actor)
  const { deps, account_kid, user } = actor
  const name = await targetName(actor, use)
  await transactionThen(deps.db, async (trx, after) => {
    await lockAccount(trx, account_kid)
    await assertProfile(trx, account_kid, use.profile_kid)
    const done = await trx.updateTable('config_profile_use').set({ position }).where(isOf(use)).executeTakeFirst()
    const is_new = done.numUpdatedRows === 0n
    if (is_new) {
      const uses = await trx
        .selectFrom('config_profile_use')
        .select('kid')
        .where('profile_kid', '=', use.profile_kid)
        .execute()
      if (uses.length >= profile_uses_max) refuse('profile_use_limit', { max: profile_uses_max })
      const by = { created_by_kid: user.kid, created_by: user.name, created_at: deps.clock.now() }
      await trx
        .insertInto('config_profile_use')
        .values({
          kid: newKid(),
          account_kid,
          profile_kid: use.profile_kid,
          position,
          terminal_group_kid: use.terminal_group_kid ?? null,
          terminal_dynamic_group_kid: use.terminal_dynamic_group_kid ?? null,
          terminal_kid: use.terminal_kid ?? null,
          ...by,
        })
        .execute()
    }
    await queueUse(trx, actor, use, is_new)
    after(() => publishUse(actor, use))
  })
  return name
}

/** What is set above holds for the target again. */
export async function removeUse(actor: Actor, use: Use): Promise<string> {
  assertWhole(actor)
  const name = await targetName(actor, use)
  await transactionThen(actor.deps.db, async (trx, after) => {
    await lockAccount(trx, actor.account_kid)
    await assertProfile(trx, actor.account_kid, use.profile_kid)
    const gone = await trx.deleteFrom('config_profile_use').where(isOf(use)).executeTakeFirst()
    if (gone.numDeletedRows === 0n) refuse('not_found')
    await queueUse(trx, actor, use, true)
    after(() => publishUse(actor, use))
  })
  return name
}

async function assertProfile(trx: Db, account_kid: string, kid: string): Promise<void> {
  const found = await trx
    .selectFrom('config_profile')
    .select('kid')
    .where('kid', '=', kid)
    .where('account_kid', '=', account_kid)
    .executeTakeFirst()
  if (!found) refuse('not_found')
}

/** Devices of groups, and single ones, are marked by the queue; those of a dynamic group as they come and leave. */
async function queueUse(trx: Db, { deps, account_kid }: Actor, use: Use, is_membership: boolean): Promise<void> {
  const set = await trx
    .selectFrom('terminal_config')
    .select('kid')
    .where('profile_kid', '=', use.profile_kid)
    .limit(1)
    .execute()
  if (set.length === 0 || (use.terminal_dynamic_group_kid && is_membership)) return
  await queueDelivery(trx, { place: placeOfUse(account_kid, use), sections: [whichever] }, deps.clock.now())
}

const placeOfUse = (account_kid: string, { profile_kid, terminal_group_kid, terminal_kid }: Use) =>
  terminal_kid
    ? writePlace(account_kid, { ltscope: ltscopes.terminal, terminal_kid })
    : terminal_group_kid
      ? writePlace(account_kid, { ltscope: ltscopes.group, terminal_group_kid })
      : writePlace(account_kid, { ltscope: ltscopes.profile, profile_kid })

function publishUse({ deps, account_kid }: Actor, use: Use): void {
  publishChange(deps, placeOfUse(account_kid, use))
  if (use.terminal_dynamic_group_kid) wake(deps, profileMembers)
}
