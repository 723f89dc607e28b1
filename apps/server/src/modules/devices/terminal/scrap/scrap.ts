import { creationAudit } from '../../../../actor.ts'
import type { Actor } from '../../../../actor.ts'
import { retrying } from '../../../../db/retrying.ts'
import { newKid } from '../../../../lib/ids.ts'
import { brake } from '../../../people/brakes/index.ts'
import { assertMeant, hold, meant, remove } from './removal.ts'
import type { Asked, Found } from './removal.ts'
import type { Schedule } from './scrap-schedule.ts'
import { retire, scraps } from './scrap-work.ts'
import { wake } from '../../../../lib/background.ts'

/** A timer may come a moment before its time by the clock. */
const early_ms = 20

/**
 * Cancels devices whose SNs are then nobody's any more, until an operator undoes it. Many of them wait first, so that it
 * can be stopped. What an account may scrap within an hour is limited, so all of them go in one transaction or none.
 */
export async function scrap(actor: Actor, asked: Asked): Promise<{ found: readonly Found[]; schedule?: Schedule }> {
  const { deps, account_kid, user } = actor
  const kids = await meant(actor, asked)
  // Which of them are there is seen once they are locked.
  const { start_at } = await brake(actor, { act: 'scrap', devices: kids.length, is_estimate: true })
  if (start_at) return schedule(actor, asked, kids, start_at)
  const now = deps.clock.now()
  const found = await remove(actor, asked, [kids], async (trx, held) => {
    await brake(actor, { act: 'scrap', devices: held.length, is_again: true }, trx)
    await retire(trx, { account_kid, by: user.name, now }, held)
  })
  return { found }
}

async function schedule(actor: Actor, asked: Asked, kids: readonly string[], due_at: Date) {
  const { deps, account_kid, scope, visible_groups } = actor
  const now = deps.clock.now()
  const asked_for = await retrying(() =>
    scope.transaction().execute(async (trx) => {
      const found = await hold(trx, actor, kids)
      assertMeant(asked, kids, found)
      await brake(actor, { act: 'scrap', devices: found.length, is_again: true }, trx)
      const groups = [...new Set(found.map(({ terminal_group_kid }) => terminal_group_kid))]
      const row = await trx
        .insertInto('scrap_schedule')
        .values({
          kid: newKid(),
          account_kid,
          terminal_kids: found.map(({ kid }) => kid),
          visible_groups: visible_groups ? [...visible_groups] : null,
          group_kids: groups.every((kid) => kid !== null) ? groups : null,
          total: found.length,
          ...creationAudit(actor),
          created_at: now,
          due_at,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      return { found, schedule: row }
    }),
  )
  deps.live.publish(account_kid, { type: 'scrap_schedule_changed' })
  deps.clock.after(due_at.getTime() - now.getTime() + early_ms, () => wake(deps, scraps))
  return asked_for
}
