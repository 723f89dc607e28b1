import { constants } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { lockAccount } from '../../../db/lock-account.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { newKid } from '../../../lib/ids.ts'
import { refuse } from '../../../refusal.ts'
import { isPush, rulesOf } from './acts.ts'
import type { Act } from './acts.ts'
import { approvalFrom, settingOf } from './setting.ts'

type Db = Kysely<Tables>

/** Devices that something takes out of people's hands, or is about to keep them there. docs/brakes.md lists what does. */
export type Hit = {
  devices: number
  /** For those that come later too, of a group, an account or a rule: counts as many as ask for the password. */
  is_lasting?: boolean | undefined
}
type Asked = Hit & {
  act: Act
  /** The number may still change. The hour and the second person are asked about by the call that knows it. */
  is_estimate?: boolean
  /** This call, or the push that goes on, has passed the brakes. The hour is looked at once more, as others may have come between. */
  is_again?: boolean
  /** It may be done to fewer devices than are asked for, and to the others later. */
  or_fewer?: boolean
}
type Answer = {
  /** It waits until a second person approves it. */
  needs_approval: boolean
  /** When it begins, if not at once. Until then nothing has been sent, and it can be stopped (decision 014). */
  start_at: Date | undefined
  /** To how many devices it may be done now. Less than asked for only with `or_fewer`. */
  devices: number
}

/**
 * May this actor do this to so many devices, and when? Asked by everything that takes devices out of people's hands, before it
 * is done. `trx` is the transaction that stores it, where there is one: what is counted holds with what is done, or neither does.
 * The account stays locked until then, so that calls of the same moment see each other. Without `trx` it counts before it is
 * done, and a call that is refused afterwards takes that back.
 * @throws `password_required`, `task_too_many_per_hour` (of scrapping `scrap_limit`), `second_person_needed`
 */
export async function brake(actor: Actor, asked: Asked, trx?: Db): Promise<Answer> {
  if (actor.braking && !asked.is_again) actor.braking.is_asked = true
  const { devices, is_lasting = false } = asked
  if (devices === 0 && !is_lasting) return { needs_approval: false, start_at: undefined, devices }
  return trx ? answer(trx, actor, asked) : actor.deps.db.transaction().execute((own) => answer(own, actor, asked))
}

async function answer(trx: Db, actor: Actor, asked: Asked): Promise<Answer> {
  const { act, devices, is_estimate = false, is_again = false, or_fewer = false } = asked
  const rules = rulesOf(act)
  const hour = { act, max: rules.per_hour ?? Infinity }
  // Nobody types a password for what the hour could never hold.
  if (act === 'scrap' && devices > hour.max) refuse('scrap_limit', { max: hour.max, left: hour.max })
  const counted = is_again ? 0 : countedOf(asked)
  const all = counted > 0 ? counted + (await latelyCounted(trx, actor)) : 0
  const are_many = all >= constants.password_from_devices
  if (are_many) await actor.braking?.assertConfirmed(trx)
  if (!is_estimate && !or_fewer) await assertHourly(trx, actor, hour, devices)
  const needs_approval =
    rules.unapproved !== undefined && !is_estimate && !is_again && (await asksApproval(trx, actor, grownOf(asked)))
  if (needs_approval && rules.unapproved === 'refused') refuse('second_person_needed')
  const alone = isPush(act) || rules.unapproved === undefined || needs_approval ? 0 : devices
  if (counted > 0) await count(trx, actor, { devices: counted, alone })
  const delay_ms = constants.scrap_delay_seconds * 1_000
  return {
    needs_approval,
    start_at: rules.is_delayed && are_many ? new Date(actor.deps.clock.now().getTime() + delay_ms) : undefined,
    devices: or_fewer ? Math.min(devices, await hourlyLeft(trx, actor, hour)) : devices,
  }
}

/** How many they count for the password. */
function countedOf({ act, devices, is_lasting }: Asked): number {
  if (!rulesOf(act).is_destructive) return 0
  return is_lasting ? Math.max(devices, constants.password_from_devices) : devices
}

/** A push that takes in devices later may become as large as it likes. */
const grownOf = ({ act, devices, is_lasting }: Asked): number => (isPush(act) && is_lasting ? Infinity : devices)

/**
 * Devices that destructive calls have hit within the hour, whatever the call, the person or the server: many small calls of a
 * stolen session are one large one. What goes on by itself does not count, as the password was asked for when it was ordered.
 */
async function latelyCounted(trx: Db, { deps, account_kid, braking }: Actor): Promise<number> {
  if (!braking) return 0
  const { since } = latelyOf(deps)
  await lockAccount(trx, account_kid)
  await trx.deleteFrom('destruction').where('account_kid', '=', account_kid).where('at', '<=', since).execute()
  const { sum } = await trx
    .selectFrom('destruction')
    .select((eb) => eb.cast<number>(eb.fn.coalesce(eb.fn.sum('devices'), eb.lit(0)), 'integer').as('sum'))
    .where('account_kid', '=', account_kid)
    .executeTakeFirstOrThrow()
  return sum
}

/** `alone`: without a second person. Of a push its own row says so. */
async function count(
  trx: Db,
  { deps, account_kid, user, braking }: Actor,
  { devices, alone }: { devices: number; alone: number },
): Promise<void> {
  if (!braking) return
  const kid = newKid()
  const at = deps.clock.now()
  await trx
    .insertInto('destruction')
    .values({ kid, account_kid, at, devices, alone, user_kid: alone > 0 ? user.kid : null })
    .execute()
  // Best effort: what stays counted asks for a password too early.
  braking.undo.push(() =>
    deps
      .scope(account_kid)
      .deleteFrom('destruction')
      .where('kid', '=', kid)
      .execute()
      .then(
        () => undefined,
        (error: unknown) => deps.log.warn({ err: error }, 'a refused call stays counted for an hour'),
      ),
  )
}

/**
 * Whether a second person has to approve what is done to so many devices: the account says from how many on, counted over what
 * the same person pushed, or took out of people's hands otherwise, within an hour without an approval, so that a large one
 * cannot be made of small ones. For whoever has just loosened that, the former number counts.
 */
async function asksApproval(trx: Db, actor: Actor, devices: number): Promise<boolean> {
  const { account_kid, user } = actor
  if (devices === 0) return false
  const seen = await settingOf({ scope: trx, account_kid })
  if (approvalFrom(seen, actor) === null) return false
  const from = approvalFrom(await lockAccount(trx, account_kid), actor)
  if (from === null) return false
  const { since, until } = latelyOf(actor.deps)
  const pushed = await trx
    .selectFrom('push_task')
    .select((eb) => eb.cast<number>(eb.fn.coalesce(eb.fn.sum('target_count'), eb.lit(0)), 'integer').as('devices'))
    .where('account_kid', '=', account_kid)
    .where((eb) =>
      eb.or([
        eb.and([eb('created_at', '>', since), eb('created_at', '<', until)]),
        // Whoever changed it before it began has made it anew.
        eb.and([eb('changed_at', '>', since), eb('changed_at', '<', until)]),
      ]),
    )
    // Those that were stopped before they began do not count.
    .where((eb) => eb.not(eb.and([eb('total', '=', 0), eb('phase', 'in', ['canceled', 'rejected'])])))
    .where('created_by_kid', '=', user.kid)
    .where('decided_by', 'is', null)
    .where('phase', '<>', 'awaiting_approval')
    .executeTakeFirstOrThrow()
  const otherwise = await trx
    .selectFrom('destruction')
    .select((eb) => eb.cast<number>(eb.fn.coalesce(eb.fn.sum('alone'), eb.lit(0)), 'integer').as('devices'))
    .where('account_kid', '=', account_kid)
    .where('user_kid', '=', user.kid)
    .where('at', '>', since)
    .where('at', '<', until)
    .executeTakeFirstOrThrow()
  return pushed.devices + otherwise.devices + devices >= from
}

type Account = Pick<Actor, 'deps' | 'account_kid'>
/** How often an act may be done within an hour; `Infinity` where it is not limited. */
type Hour = { act: Act; max: number }
const hour_ms = 3_600_000

/** The hour of which devices count. A row that a wrong clock has dated more than an hour ahead does not count until its date comes. */
function latelyOf({ clock }: Actor['deps']): { since: Date; until: Date } {
  const now = clock.now().getTime()
  return { since: new Date(now - hour_ms), until: new Date(now + hour_ms) }
}

/** What one account may do within an hour, and so what a stolen session can do. @throws `task_too_many_per_hour`, `scrap_limit` */
async function assertHourly(trx: Db, actor: Account, hour: Hour, devices: number): Promise<void> {
  const left = await hourlyLeft(trx, actor, hour)
  if (devices > left) refuse(isPush(hour.act) ? 'task_too_many_per_hour' : 'scrap_limit', { max: hour.max, left })
}

/** To how many devices of the account it may still be done within this hour. */
async function hourlyLeft(trx: Db, actor: Account, { act, max }: Hour): Promise<number> {
  if (max === Infinity) return max
  await lockAccount(trx, actor.account_kid)
  return Math.max(0, max - (isPush(act) ? await pushed(trx, actor, act) : await scrapped(trx, actor)))
}

/** What was begun or tried again, and what is still to begin or to be tried again. */
async function pushed(trx: Db, { deps, account_kid }: Account, type: Act): Promise<number> {
  const { since, until } = latelyOf(deps)
  const { rows } = await sql<{ devices: number }>`
    SELECT (
      SELECT count(*) FROM push_task k JOIN push_task_activity a ON a.push_task_kid = k.kid
      WHERE k.account_kid = ${account_kid} AND k.type = ${type} AND a.event IN ('created', 'retried')
        AND a.at > ${since} AND a.at < ${until}
    )::integer + (
      SELECT COALESCE(sum(k.target_count - k.total), 0) FROM push_task k
      WHERE k.account_kid = ${account_kid} AND k.type = ${type} AND k.phase IN ('awaiting_approval', 'planned', 'creating')
    )::integer + (
      SELECT COALESCE(sum((k.retry->>'left')::integer), 0) FROM push_task k
      WHERE k.account_kid = ${account_kid} AND k.type = ${type} AND k.retry_at IS NOT NULL
    )::integer AS devices
  `.execute(trx)
  return rows[0]!.devices
}

/** What waits to be scrapped counts as if it were done. */
async function scrapped(trx: Db, { deps, account_kid }: Account): Promise<number> {
  const { since, until } = latelyOf(deps)
  const { done } = await trx
    .selectFrom('scrapped_sn')
    .select((eb) => eb.cast<number>(eb.fn.countAll(), 'integer').as('done'))
    .where('account_kid', '=', account_kid)
    .where('scrapped_at', '>', since)
    .where('scrapped_at', '<', until)
    .executeTakeFirstOrThrow()
  const { waiting } = await trx
    .selectFrom('scrap_schedule')
    .select((eb) => eb.cast<number>(eb.fn.coalesce(eb.fn.sum('total'), eb.lit(0)), 'integer').as('waiting'))
    .where('account_kid', '=', account_kid)
    .where('state', '=', 'waiting')
    .executeTakeFirstOrThrow()
  return done + waiting
}
