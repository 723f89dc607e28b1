import { constants } from '@mdm/contract'
import type { Kysely } from 'kysely'
import { creatorOf } from '../../../actor.ts'
import type { Actor } from '../../../actor.ts'
import { retrying } from '../../../db/retrying.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { refuse } from '../../../refusal.ts'
import type { ActorWith } from '../../../http/context.ts'
import { newKid } from '../../../lib/ids.ts'
import { assertMeant, hold, meant, remove } from './removal.ts'
import type { Asked, Found } from './removal.ts'
import type { Schedule } from './scrap-schedule.ts'
import { retire, scraps } from './scrap-work.ts'
import { wake } from '../../../lib/background.ts'

const hour_ms = 3_600_000
const delay_ms = constants.scrap_delay_seconds * 1_000
/** A timer may come a moment before its time by the clock. */
const early_ms = 20
const max = constants.scrapped_per_hour

/**
 * Cancels devices whose SNs are then nobody's any more, until an operator undoes it. Many of them wait first, so that it
 * can be stopped. What an account may scrap within an hour is limited, so all of them go in one transaction or none.
 */
export async function scrap(
  actor: ActorWith<'destroys'>,
  asked: Asked,
): Promise<{ found: readonly Found[]; schedule?: Schedule }> {
  const { deps, account_kid, user } = actor
  const kids = await meant(actor, asked)
  if (kids.length > max) refuse('scrap_limit', { max, left: max })
  // Few by few they are many as well.
  const lately = await actor.destroys(kids.length)
  if (lately >= constants.password_from_devices) return schedule(actor, asked, kids)
  const now = deps.clock.now()
  const found = await remove(actor, asked, [kids], async (trx, held) => {
    await assertWithinLimit(trx, account_kid, now, held.length)
    await retire(trx, { account_kid, by: user.name, now }, held)
  })
  return { found }
}

async function schedule(actor: Actor, asked: Asked, kids: readonly string[]) {
  const { deps, account_kid, scope, reach } = actor
  const now = deps.clock.now()
  const asked_for = await retrying(() =>
    scope.transaction().execute(async (trx) => {
      const found = await hold(trx, actor, kids)
      assertMeant(asked, kids, found)
      await assertWithinLimit(trx, account_kid, now, found.length)
      const groups = [...new Set(found.map(({ terminal_group_kid }) => terminal_group_kid))]
      const row = await trx
        .insertInto('scrap_schedule')
        .values({
          kid: newKid(),
          account_kid,
          terminal_kids: found.map(({ kid }) => kid),
          reach: reach ? [...reach] : null,
          group_kids: groups.every((kid) => kid !== null) ? groups : null,
          total: found.length,
          ...creatorOf(actor),
          created_at: now,
          due_at: new Date(now.getTime() + delay_ms),
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      return { found, schedule: row }
    }),
  )
  deps.live.publish(account_kid, { type: 'scrap_schedule_changed' })
  deps.clock.after(delay_ms + early_ms, () => wake(deps, scraps))
  return asked_for
}

/** Under the account's lock, so the limit holds when several ask at once. What waits counts as if it were done. */
async function assertWithinLimit(trx: Kysely<Tables>, account_kid: string, now: Date, count: number): Promise<void> {
  const { lately } = await trx
    .selectFrom('scrapped_sn')
    .select((eb) => eb.cast<number>(eb.fn.countAll(), 'integer').as('lately'))
    .where('account_kid', '=', account_kid)
    .where('scrapped_at', '>', new Date(now.getTime() - hour_ms))
    // What a clock that was wrong has dated far ahead is not lately.
    .where('scrapped_at', '<', new Date(now.getTime() + hour_ms))
    .executeTakeFirstOrThrow()
  const { waiting } = await trx
    .selectFrom('scrap_schedule')
    .select((eb) => eb.cast<number>(eb.fn.coalesce(eb.fn.sum('total'), eb.lit(0)), 'integer').as('waiting'))
    .where('account_kid', '=', account_kid)
    .where('state', '=', 'waiting')
    .executeTakeFirstOrThrow()
  const left = Math.max(0, max - lately - waiting)
  if (count > left) refuse('scrap_limit', { max, left })
}
