import { config_group_permission, configSectionKeys, configSections, ltscopes } from '@mdm/contract'
import type { Answer, Contract, ConfigSection, In, Permission } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/schema/tables.ts'
import { refuse } from '../../refusal.ts'
import { newKid } from '../../lib/ids.ts'
import { lockAccount, subtree } from '../terminal-group/service.ts'
import type { Actor } from '../../actor.ts'
import type { Ctx } from '../../http/context.ts'
import { effectiveOf, settingsOf } from './effective.ts'
import { resolvePlace } from './places.ts'
import type { Place } from './places.ts'

export { groupPath, levelsOf, forDevice, settingsOf } from './effective.ts'
export { resolvePlace } from './places.ts'
export type { Place } from './places.ts'
export { areRolesSet, withUploadRoles } from './upload-roles.ts'

type Calls = Contract['terminalConfig']['calls']
type Db = Kysely<Tables>
type Writer = Actor & Pick<Ctx, 'may'>

const columns = [
  'section',
  'ltscope',
  'terminal_group_kid',
  'terminal_kid',
  'value',
  'updated_at',
  'updated_by',
] as const

/** Rows of one account, those of other devices left out: there may be one for every device. */
const read = (scope: Db, terminal_kid: string | null) =>
  scope
    .selectFrom('terminal_config')
    .select(columns)
    .where((eb) => eb.or([eb('ltscope', '<', ltscopes.terminal), eb('terminal_kid', '=', terminal_kid)]))
    .execute()

export async function get(actor: Actor, place: In<Calls['get']>) {
  const level = (await resolvePlace(actor, place)).at(-1)!
  const settings = settingsOf(await read(actor.scope, place.terminal_kid ?? null))
  const own = (section: ConfigSection) => settings(section, level) ?? null
  return { collection: own('collection'), url_lists: own('url_lists') } as Answer<Calls['get']>
}

export async function current(actor: Actor, input: In<Calls['current_config']>) {
  const { scope } = actor
  const levels = await resolvePlace(actor, input)
  const settings = settingsOf(await read(scope, input.terminal_kid ?? null))
  const types = input.types?.split(',').map(Number)
  const wanted = configSectionKeys.filter((key) => types?.includes(configSections[key].type) ?? true)
  const sections = wanted.map((section) => {
    const { value, source } = effectiveOf(settings, section, levels)
    return [
      section,
      {
        type: configSections[section].type,
        value,
        source,
        levels: levels.map((level) => ({ ...level, own: settings(section, level) ?? null })),
      },
    ]
  })
  return {
    ...Object.fromEntries(sections),
    delivery: input.terminal_kid === undefined ? null : await deliveryOf(scope, input.terminal_kid),
  } as Answer<Calls['current_config']>
}

async function deliveryOf(scope: Db, terminal_kid: string) {
  const owed = await scope
    .selectFrom('terminal_config_delivery')
    .select(['version', 'is_dirty', 'sent_at'])
    .where('terminal_kid', '=', terminal_kid)
    .executeTakeFirst()
  const state = await scope
    .selectFrom('terminal_state')
    .select('config_version')
    .where('terminal_kid', '=', terminal_kid)
    .executeTakeFirst()
  const version_held = state?.config_version ?? null
  const version_wanted = owed?.is_dirty ? null : (owed?.version ?? 0)
  const is_waiting = version_wanted === null || version_wanted !== (version_held ?? 0)
  return { version_wanted, version_held, is_waiting, sent_at: owed?.sent_at ?? null }
}

export async function save(actor: Writer, input: In<Calls['save']>): Promise<void> {
  const { deps, scope, user } = actor
  const level = await writable(actor, input)
  const given = configSectionKeys.filter((key) => input[key] !== undefined)
  await scope.transaction().execute(async (trx) => {
    await lockAccount(trx, actor.account_kid)
    for (const section of given) {
      const change = {
        value: JSON.stringify(input[section]),
        updated_by_kid: user.kid,
        updated_by: user.name,
        updated_at: deps.clock.now(),
      }
      const done = await at(trx.updateTable('terminal_config').set(change), level, [section]).executeTakeFirst()
      if (done.numUpdatedRows === 0n)
        await trx
          .insertInto('terminal_config')
          .values({
            kid: newKid(),
            account_kid: actor.account_kid,
            section,
            ltscope: input.ltscope as 20 | 30 | 40,
            terminal_group_kid: input.terminal_group_kid ?? null,
            terminal_kid: input.terminal_kid ?? null,
            ...change,
          })
          .execute()
    }
    await owe(trx, input)
  })
  announce(actor, input)
}

export async function reset(actor: Writer, input: In<Calls['reset']>): Promise<number> {
  const level = await writable(actor, input)
  const done = await actor.scope.transaction().execute(async (trx) => {
    const gone = await at(
      trx.deleteFrom('terminal_config'),
      level,
      input.sections ?? configSectionKeys,
    ).executeTakeFirst()
    if (gone.numDeletedRows > 0n) await owe(trx, input)
    return Number(gone.numDeletedRows)
  })
  if (done > 0) announce(actor, input)
  return done
}

/** The level that is written to. Groups and the account take a permission of their own, and a user who reaches them. */
export async function writable(actor: Writer, place: Place, group_permission: Permission = config_group_permission) {
  const { reach, may } = actor
  if (place.ltscope !== ltscopes.terminal && !may(group_permission)) refuse('no_permission')
  if (place.ltscope === ltscopes.account && reach) refuse('no_permission')
  return (await resolvePlace(actor, place)).at(-1)!
}

type Placed<Q> = { where(column: any, op: any, value: any): Q }
function at<Q extends Placed<Q>>(
  query: Q,
  { ltscope, kid }: { ltscope: number; kid: string | null },
  sections: readonly ConfigSection[],
): Q {
  const placed = query.where('ltscope', '=', ltscope).where('section', 'in', sections)
  if (kid === null) return placed
  return placed.where(ltscope === ltscopes.terminal ? 'terminal_kid' : 'terminal_group_kid', '=', kid)
}

/** Every device that inherits from there is told again, unless it turns out to be the same for it. */
export async function owe(trx: Db, { terminal_kid, terminal_group_kid }: Place): Promise<void> {
  const groups = terminal_group_kid && (await subtree(trx, terminal_group_kid)).map(({ kid }) => kid)
  const due = sql<Date>`'epoch'::timestamptz`
  await trx
    .insertInto('terminal_config_delivery')
    .columns(['terminal_kid', 'send_at'])
    .expression(
      trx
        .selectFrom('terminal')
        .select(['terminal.kid', due.as('send_at')])
        .$if(terminal_kid !== undefined, (q) => q.where('terminal.kid', '=', terminal_kid!))
        .$if(groups !== undefined, (q) =>
          q.where('terminal.terminal_group_kid', '=', sql<string>`any(${groups as string[]}::uuid[])`),
        )
        .orderBy('terminal.kid'),
    )
    .onConflict((row) => row.column('terminal_kid').doUpdateSet({ is_dirty: true, sends: 0, send_at: due }))
    .execute()
}

export function announce({ deps, account_kid }: Actor, { terminal_kid, terminal_group_kid }: Place): void {
  deps.live.publish(account_kid, { type: 'terminal_config', kid: terminal_kid ?? terminal_group_kid ?? account_kid })
  deps.link.wake(terminal_kid === undefined ? [] : [terminal_kid])
}
