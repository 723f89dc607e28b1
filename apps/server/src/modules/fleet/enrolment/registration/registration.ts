import { constants } from '@mdm/contract'
import type { AgentKind, Contract, In } from '@mdm/contract'
import type { Insertable, Kysely } from 'kysely'
import type { AnnouncedDevice } from '../../../../db/schema/tables-devices.ts'
import type { Tables } from '../../../../db/schema/tables.ts'
import { violation } from '../../../../db/violations.ts'
import type { Deps } from '../../../../deps.ts'
import { Refusal, refuse } from '../../../../refusal.ts'
import { aliasFault } from '../../../../lib/alias.ts'
import { newKid } from '../../../../lib/ids.ts'
import { target } from '../../terminal-group/index.ts'
import type { Actor } from '../../../../actor.ts'
import { assertFree, liveAnnouncements } from '../device/announcements.ts'
import { takeSlot } from '../quota.ts'
import { countWrongCodes, guessesOf } from './guesses.ts'
import { finishRenewal, renewing } from './renewal.ts'

type Db = Kysely<Tables>

export function assertAlias(name: string): void {
  const fault = aliasFault(name)
  if (fault) refuse(fault)
  const pattern = '^[^\\p{Cc}]*$'
  if (!new RegExp(pattern, 'u').test(name))
    throw new Refusal('bad_input', {}, { name: { name: 'control_character', pattern } })
}

/**
 * Registers the device that shows this code; its kid. An SN is unique over all tenants and the quota over a family of
 * accounts, so this works outside of a scope. Refusals come in the order in which they stand here.
 */
export async function registerByCode(
  actor: Actor,
  input: In<Contract['terminal']['calls']['manual_registered']>,
): Promise<string> {
  const { deps, account_kid, visible_groups } = actor
  const { sn, name = '' } = input
  if (sn.length > constants.sn_max) refuse('sn_too_long')
  assertAlias(name)
  const waiting = await liveAnnouncements(deps.db, deps, sn)
  const renewed = await renewing(actor, sn)
  if (!renewed) await assertFree(deps.db, sn)
  if (waiting.length === 0) return refuse('device_unknown')
  const guess = await guessesOf(deps.db, deps, account_kid)
  const announced = guess(sn, waiting, input.registration_code)
  if (announced === 'registration_code_mismatch') await countWrongCodes(deps.db, [sn])
  if (typeof announced === 'string') return refuse(announced)
  if (renewed) return finishRenewal(deps, renewed, announced)
  const kid = await deps.db.transaction().execute(async (trx) => {
    const refusal = await takeSlot(deps, trx, account_kid)
    // Group changes wait for the same lock, so a group that is found here stays.
    const terminal_group_kid = await target(trx, account_kid, visible_groups, input.terminal_group_kid)
    if (refusal) refuse(refusal)
    return addTerminal(trx, deps, { account_kid, terminal_group_kid, sn, claim_hash: announced.claim_hash, name })
  })
  tellRegistered(deps, account_kid, kid, null)
  return kid
}

/** Turns the announcement into a device of the account, within a transaction that has taken a slot. */
export async function addTerminal(
  trx: Db,
  deps: Deps,
  made: {
    account_kid: string
    terminal_group_kid: string | null
    sn: string
    claim_hash: Buffer
    name?: string
    kid?: string
    secret_hash?: Buffer
    qrcode_kid?: string
    agent_kind?: AgentKind
  },
): Promise<string> {
  const { kid = newKid(), account_kid, sn, claim_hash, ...rest } = made
  const taken = await trx
    .deleteFrom('announcement')
    .where('sn', '=', sn)
    .where('claim_hash', '=', claim_hash)
    .returning(['device', 'registration_code'])
    .executeTakeFirst()
  if (!taken) {
    await assertFree(trx, sn)
    return refuse('device_unknown')
  }
  // Others that said the same SN are not this device.
  await trx.deleteFrom('announcement').where('sn', '=', sn).execute()
  return insertTerminal(trx, deps, {
    ...rest,
    kid,
    account_kid,
    sn,
    claim_hash,
    device: taken.device as AnnouncedDevice,
    registration_code: rest.qrcode_kid === undefined ? taken.registration_code : null,
  })
}

/** The row of a new device, within a transaction that has taken a slot. */
export async function insertTerminal(
  trx: Db,
  { clock }: Pick<Deps, 'clock'>,
  {
    device,
    kid,
    account_kid,
    ...made
  }: Omit<Insertable<Tables['terminal']>, keyof AnnouncedDevice | 'registered_at'> & {
    device: AnnouncedDevice
  },
): Promise<string> {
  const { model, os_name, os_version, service_version, protocol_version, imei } = device
  await violation(
    () =>
      trx
        .insertInto('terminal')
        .values({
          kid,
          account_kid,
          ...made,
          model,
          os_name,
          os_version,
          service_version,
          protocol_version,
          imei: imei ?? null,
          registered_at: clock.now(),
        })
        .execute(),
    { terminal_sn_key: 'device_already_registered' },
  )
  await trx.insertInto('terminal_state').values({ terminal_kid: kid, account_kid }).execute()
  return kid
}

export function tellRegistered(deps: Deps, account_kid: string, kid: string, qrcode_kid: string | null): void {
  deps.live.publish(account_kid, { type: 'terminal_registered', kid, qrcode_kid })
  deps.live.publish(account_kid, { type: 'terminal_list_changed' })
}
