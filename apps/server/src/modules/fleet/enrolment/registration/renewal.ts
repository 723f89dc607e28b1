import { sql } from 'kysely'
import type { Actor } from '../../../../actor.ts'
import type { Tables } from '../../../../db/schema/tables.ts'
import type { Deps } from '../../../../deps.ts'
import { refuse } from '../../../../refusal.ts'
import { forgetDevice } from '../../../../link/credentials.ts'

type Renewed = { kid: string; account_kid: string }
type Claim = Pick<Tables['announcement'], 'sn' | 'claim_hash'>

/**
 * Takes the secret of a device away, whoever has a copy of it. The device keeps its place, its group and its history; it
 * announces itself again and gets a new secret once the code that it shows was typed (decision 020).
 */
export async function renewSecret({ deps, scope }: Actor, kid: string): Promise<string> {
  const renewed = await scope
    .updateTable('terminal')
    .set({ secret_hash: null, renewal_asked_at: deps.clock.now(), quarantined_until: null })
    .where('kid', '=', kid)
    .returning(['sn', 'account_kid'])
    .executeTakeFirst()
  if (!renewed) return refuse('not_found')
  // What waits may be the copy's, announced with the claim that was copied too.
  await deps.db
    .deleteFrom('announcement')
    .where('sn', '=', renewed.sn)
    .where('claim_hash', '=', (eb) => eb.selectFrom('terminal').select('claim_hash').where('kid', '=', kid))
    .execute()
  forgetDevice(deps, kid)
  await deps.link.kick(kid, 'secret_renewed')
  deps.live.publish(renewed.account_kid, { type: 'terminal_info', kid })
  // It is no longer in quarantine, which lists show.
  deps.live.publish(renewed.account_kid, { type: 'terminal_list_changed' })
  return renewed.sn
}

/**
 * Lets a device connect again before its quarantine is over. The evidence begins anew: two machines that go on with one secret are
 * found again. Returns its SN; undefined where there is nothing to lift.
 */
export async function liftQuarantine({ deps, scope, account_kid }: Actor, kid: string): Promise<string | undefined> {
  const device = await scope.selectFrom('terminal').select('sn').where('kid', '=', kid).executeTakeFirst()
  if (!device) return refuse('not_found')
  const { numUpdatedRows } = await scope
    .updateTable('terminal')
    .set({ quarantined_until: null })
    .where('kid', '=', kid)
    .where('quarantined_until', '>', deps.clock.now())
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return undefined
  forgetDevice(deps, kid)
  // The broker remembers for a minute whom it has refused.
  await deps.link.kick(kid, 'quarantine_lifted')
  deps.live.publish(account_kid, { type: 'terminal_info', kid })
  deps.live.publish(account_kid, { type: 'terminal_list_changed' })
  return device.sn
}

/** The device of this SN, if it is one of the caller's that waits for a new secret. */
export async function renewing({ deps, account_kid, visible_groups }: Actor, sn: string): Promise<Renewed | undefined> {
  return deps.db
    .selectFrom('terminal')
    .select(['kid', 'account_kid'])
    .where('sn', '=', sn)
    .where('account_kid', '=', account_kid)
    .where('renewal_asked_at', 'is not', null)
    .$if(visible_groups !== undefined, (q) =>
      q.where('terminal_group_kid', '=', sql<string>`any(${[...visible_groups!]}::uuid[])`),
    )
    .executeTakeFirst()
}

/** The claim whose code was typed is the device from now on: it gets its secret as after a registration. */
export async function finishRenewal(
  deps: Deps,
  { kid, account_kid }: Renewed,
  claim: Claim,
  is_asked = true,
): Promise<string> {
  await deps.db.transaction().execute(async (trx) => {
    const done = await trx
      .updateTable('terminal')
      .set({ claim_hash: claim.claim_hash, renewal_asked_at: null, first_connected_at: null })
      // The secret that the former key had ends with it.
      .$if(!is_asked, (q) => q.set({ secret_hash: null }))
      .where('kid', '=', kid)
      .$if(is_asked, (q) => q.where('renewal_asked_at', 'is not', null))
      .returning('kid')
      .executeTakeFirst()
    if (!done) refuse('device_already_registered')
    await trx.deleteFrom('announcement').where('sn', '=', claim.sn).execute()
  })
  forgetDevice(deps, kid)
  deps.live.publish(account_kid, { type: 'terminal_registered', kid, qrcode_kid: null })
  return kid
}
