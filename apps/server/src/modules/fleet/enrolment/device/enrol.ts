import type { enrolment } from '@mdm/device-link'
import type { ExpressionBuilder } from 'kysely'
import type * as z from 'zod'
import type { Tables } from '../../../../db/schema/tables.ts'
import type { Deps } from '../../../../deps.ts'
import { refuse } from '../../../../refusal.ts'
import { accountUsable } from '../../../../http/session-row.ts'
import { digest, newKid, newSecret, sameBytes } from '../../../../lib/ids.ts'
import { mqttUrls } from '../../../../addresses.ts'
import { assertFree, liveAnnouncements, pollSeconds, touch, wrong_codes_max } from './announcements.ts'
import { takeSlot } from '../quota.ts'
import { addTerminal, tellRegistered } from '../registration/registration.ts'

type Enrol = z.output<typeof enrolment.enrol.input>
type Enrolled = z.output<typeof enrolment.enrol.output>

/**
 * A device asks whether it has been registered. `host` is the Host header it used. Refusals: `device_unknown` (it has
 * to announce itself, again), `device_already_registered`, and those of a QR code.
 */
export async function enrol(deps: Deps, { sn, claim, qrcode }: Enrol, asked_at?: string): Promise<Enrolled> {
  const claim_hash = digest(claim)
  const registered = (kid: string, secret: string): Enrolled => ({
    state: 'registered',
    kid,
    secret,
    mqtt: mqttUrls(deps, asked_at),
    time: deps.clock.now().toISOString(),
  })
  const again = await reissue(deps, sn, claim_hash)
  if (again) return registered(again.kid, again.secret)
  const waiting = await liveAnnouncements(deps.db, deps, sn)
  const announced = waiting.find((one) => sameBytes(one.claim_hash, claim_hash))
  // A code that was guessed at is dead: the device gets another by announcing itself again.
  if (!announced || announced.wrong_codes >= wrong_codes_max) return refuse('device_unknown')
  if (qrcode !== undefined) {
    const made = await enrolByQrcode(deps, announced, qrcode)
    if (made) return registered(made.kid, made.secret)
  }
  await touch(deps, announced)
  return { state: 'waiting', poll_seconds: pollSeconds(deps, announced.expires_at) }
}

/**
 * A fresh secret for the registered device of this SN, undefined when there is none. Given until the device has
 * connected for the first time, since the reply that carried it may have been lost; each one replaces the last.
 */
async function reissue({ db }: Deps, sn: string, claim_hash: Buffer) {
  const terminal = await db
    .selectFrom('terminal')
    .select(['kid', 'claim_hash', 'renewal_asked_at'])
    .where('sn', '=', sn)
    .executeTakeFirst()
  if (!terminal || terminal.renewal_asked_at) return undefined
  if (!sameBytes(terminal.claim_hash, claim_hash)) return refuse('device_already_registered')
  const secret = newSecret()
  const given = await db
    .updateTable('terminal')
    .set({ secret_hash: digest(secret) })
    .where('kid', '=', terminal.kid)
    .where('first_connected_at', 'is', null)
    .returning('kid')
    .executeTakeFirst()
  return given ? { kid: given.kid, secret } : refuse('device_already_registered')
}

/**
 * Registers the device into the account and group of the code. A one-time code is used up by it and by nobody else. By a code that needs
 * approval it only asks: nothing comes of it until an operator lets it in.
 */
async function enrolByQrcode(
  deps: Deps,
  { sn, claim_hash }: Pick<Tables['announcement'], 'sn' | 'claim_hash'>,
  token: string,
) {
  const { db, clock } = deps
  const token_hash = digest(token)
  const code = await db
    .selectFrom('qrcode')
    .select(['kid', 'account_kid', 'needs_approval'])
    .where('token_hash', '=', token_hash)
    .where(isUsable(clock.now()))
    .executeTakeFirst()
  if (!code) return refuse('qrcode_invalid')
  const { account_kid } = code
  await assertAccountUsable(deps, account_kid)
  await assertFree(db, sn)
  if (code.needs_approval) {
    const asks = await db
      .updateTable('announcement')
      .set({ account_kid, qrcode_kid: code.kid, refused_at: null })
      .where('sn', '=', sn)
      .where('claim_hash', '=', claim_hash)
      .where((eb) => eb.or([eb('account_kid', 'is', null), eb('account_kid', '!=', account_kid)]))
      .returning('sn')
      .executeTakeFirst()
    if (asks) deps.live.publish(account_kid, { type: 'terminal_list_changed' })
    return undefined
  }
  const kid = newKid()
  const secret = newSecret()
  await db.transaction().execute(async (trx) => {
    const refusal = await takeSlot(deps, trx, account_kid)
    if (refusal) refuse(refusal)
    const taken = await trx
      .updateTable('qrcode')
      .set((eb) => ({ used_at: clock.now(), terminal_kid: kid, sn, use_count: eb('use_count', '+', 1) }))
      .where('token_hash', '=', token_hash)
      // Again, under the row's lock: it may have been used or revoked since.
      .where(isUsable(clock.now()))
      .returning('terminal_group_kid')
      .executeTakeFirst()
    if (!taken) return refuse('qrcode_invalid')
    return addTerminal(trx, deps, {
      kid,
      account_kid,
      terminal_group_kid: taken.terminal_group_kid,
      sn,
      claim_hash,
      secret_hash: digest(secret),
      qrcode_kid: code.kid,
    })
  })
  tellRegistered(deps, account_kid, kid, code.kid)
  return { kid, secret }
}

export const isUsable = (now: Date) => (eb: ExpressionBuilder<Tables, 'qrcode'>) =>
  eb.and([
    eb('revoked_at', 'is', null),
    eb.or([eb('is_permanent', '=', true), eb.and([eb('used_at', 'is', null), eb('expires_at', '>', now)])]),
  ])

/** Nobody is signed in here, so what a session would have checked is checked now. */
export async function assertAccountUsable({ db, clock }: Deps, account_kid: string): Promise<void> {
  const found = await db
    .selectFrom('account as own')
    .select('own.kid')
    .where('own.kid', '=', account_kid)
    .where(accountUsable('own', clock.now()))
    .executeTakeFirst()
  if (!found) refuse('account_unavailable')
}
