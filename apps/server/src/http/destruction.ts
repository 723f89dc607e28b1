import { constants } from '@mdm/contract'
import { lockAccount } from '../db/lock-account.ts'
import type { Deps } from '../deps.ts'
import { newKid } from '../lib/ids.ts'
import { asksApproval } from '../modules/brakes/service.ts'
import { Refusal } from '../refusal.ts'
import type { SignedIn } from './context.ts'
import { assertConfirmed } from './session.ts'

const hour_ms = 3_600_000

/** What one call does to devices, as far as its handler said. */
export type Destruction = ReturnType<typeof openDestruction>

/**
 * Counts the devices that destructive calls hit, by account and hour whatever the call, the person or the server: many
 * small calls of a stolen session are one large one. What is asked for counts before it is done, so that calls at the same
 * moment see each other.
 */
export function openDestruction(deps: Deps, session: SignedIn | undefined) {
  const counted: string[] = []

  async function count(account_kid: string, devices: number): Promise<number> {
    const now = deps.clock.now()
    const since = new Date(now.getTime() - hour_ms)
    const kid = newKid()
    const lately = await deps
      .scope(account_kid)
      .transaction()
      .execute(async (trx) => {
        // Two at the same moment would not see each other's rows.
        await lockAccount(trx, account_kid)
        await trx.deleteFrom('destruction').where('account_kid', '=', account_kid).where('at', '<=', since).execute()
        const { sum } = await trx
          .selectFrom('destruction')
          .select((eb) => eb.cast<number>(eb.fn.coalesce(eb.fn.sum('devices'), eb.lit(0)), 'integer').as('sum'))
          .where('account_kid', '=', account_kid)
          .executeTakeFirstOrThrow()
        await trx.insertInto('destruction').values({ kid, account_kid, at: now, devices }).execute()
        return sum
      })
    counted.push(kid)
    return lately + devices
  }

  return {
    is_said: false,
    async destroys(devices: number): Promise<number> {
      if (!session) throw new Refusal('unauthorized')
      this.is_said = true
      if (devices === 0) return 0
      const all = await count(session.account_kid, devices)
      if (all >= constants.password_from_devices) await assertConfirmed(deps, session)
      return all
    },
    /** Of the same person, what is pushed counts as well (`brakes`). */
    async asksApproval(devices: number): Promise<boolean> {
      if (!session) throw new Refusal('unauthorized')
      if (devices === 0) return false
      const { account_kid, user_kid, name } = session
      const asks = await deps
        .scope(account_kid)
        .transaction()
        .execute(async (trx) => {
          if (await asksApproval(trx, { deps, account_kid, user: { kid: user_kid, name } }, devices)) return true
          const kid = newKid()
          const at = deps.clock.now()
          await trx
            .insertInto('destruction')
            .values({ kid, account_kid, at, devices: 0, user_kid, alone: devices })
            .execute()
          counted.push(kid)
          return false
        })
      return asks
    },
    /** The call was refused: nothing was done. Best effort; what stays counted asks for a password too early. */
    async undo(): Promise<void> {
      if (!session || counted.length === 0) return
      await deps
        .scope(session.account_kid)
        .deleteFrom('destruction')
        .where('kid', 'in', counted)
        .execute()
        .catch((error: unknown) => deps.log.warn({ err: error }, 'a refused call stays counted for an hour'))
    },
  }
}
