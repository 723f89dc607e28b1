import { Sn } from '@mdm/device-link'
import type { AgentKind } from '@mdm/contract'
import type { Insertable, Kysely, Selectable } from 'kysely'
import type { AnnouncedDevice } from '../../../../db/schema/tables-devices.ts'
import type { Tables } from '../../../../db/schema/tables.ts'
import type { Deps } from '../../../../deps.ts'
import { digest, newKid } from '../../../../lib/ids.ts'
import { keyedDigest } from '../../../../lib/sealed.ts'
import { forgetDevice } from '../../../../link/credentials.ts'
import { refuse } from '../../../../refusal.ts'
import { takeSlot } from '../quota.ts'
import { insertTerminal, tellRegistered } from '../registration/registration.ts'
import { assertFree } from './announcements.ts'
import { assertAccountUsable, isUsable } from './enrol.ts'

type Db = Kysely<Tables>
type EnrollingAgent = {
  kind: AgentKind
  /** Of a QR code: it alone says whose the device is. */
  token: string
  /** By which the agent knows its hardware; any text, and not a secret. */
  hardware_id: string | undefined
  device: AnnouncedDevice
}
type EnrolledAgent = { kid: string; secret: string }

/** Calls of one device that come so close together are one enrolment, whichever of them it listens to. */
const racing_ms = 10 * 60_000
/** Stands before the label that a device has until it tells its serial number. */
const labels: Record<AgentKind, string> = {
  mdm: 'MDM-',
  browser: 'WEB-',
  mdmesh: 'MDMESH-',
  headwind: 'HEADWIND-',
  hawkbit: 'HAWKBIT-',
  mender: 'MENDER-',
}

/**
 * An agent that announces nothing registers by the token of a QR code alone. Its secret follows from its kid and a counter, so that
 * calls that race, and one whose answer was lost, are told the same one. A device that was reset gets its row back in the account of
 * the code, with the next secret. Refusals are those of a QR code.
 */
export async function enrolAgent(deps: Deps, said: EnrollingAgent): Promise<EnrolledAgent> {
  const { db, clock } = deps
  const token_hash = digest(said.token)
  const code = await db
    .selectFrom('qrcode')
    .select(['kid', 'account_kid'])
    .where('token_hash', '=', token_hash)
    .where('revoked_at', 'is', null)
    // These agents cannot wait for an operator.
    .where('needs_approval', '=', false)
    .executeTakeFirst()
  if (!code) return refuse('qrcode_invalid')
  const { account_kid } = code
  await assertAccountUsable(deps, account_kid)
  const hardware_hash = said.hardware_id === undefined ? null : digest(said.hardware_id).toString('hex')
  // Finds the key, which no transaction may wait for.
  await keyedDigest(deps, '')
  const done = await db.transaction().execute(async (trx) => {
    // One enrolment of an account after another.
    const refusal = await takeSlot(deps, trx, account_kid)
    const known = await knownAgent(trx, said.kind, code, hardware_hash)
    if (known && isSameEnrolment(known, code.kid, clock.now())) return { ...known, is_repeat: true }
    if (!known && refusal) refuse(refusal)
    const kid = known?.kid ?? newKid()
    const sn = known?.sn ?? (await freeLabel(trx, said, account_kid, kid))
    const terminal_group_kid = await takeCode(trx, deps, code.kid, { kid, sn, is_new: !known })
    const generation = (known?.generation ?? 0) + 1
    const secret_hash = digest(await secretOf(deps, kid, generation))
    const agent = { hardware_hash, generation, enrolled_at: clock.now(), qrcode_kid: code.kid }
    if (known) {
      await begunAnew(trx, kid, secret_hash, said.device)
      const kept = JSON.stringify({ ...known.kept, is_reset: true })
      await trx
        .updateTable('terminal_agent')
        .set({ ...agent, kept, reset_due_at: null })
        .where('terminal_kid', '=', kid)
        .execute()
      return { kid, generation, is_new: false }
    }
    const claim_hash = digest(`${kid} announces nothing`)
    const { kind: agent_kind, device } = said
    await insertTerminal(trx, deps, {
      ...{ kid, account_kid, terminal_group_kid, sn, claim_hash, secret_hash, agent_kind, device },
      qrcode_kid: code.kid,
    })
    await insertAgent(trx, { terminal_kid: kid, account_kid, ...agent })
    return { kid, generation, is_new: true }
  })
  const secret = await secretOf(deps, done.kid, done.generation)
  if ('is_repeat' in done) return { kid: done.kid, secret }
  if (done.is_new) tellRegistered(deps, account_kid, done.kid, code.kid)
  else await tellReset(deps, account_kid, done.kid)
  return { kid: done.kid, secret }
}

/** Notes that the device came by the code; the group that it leads to. Refused where it has ended meanwhile. */
export async function takeCode(
  trx: Db,
  { clock }: Deps,
  qrcode_kid: string,
  { kid, sn, is_new }: { kid: string; sn: string; is_new: boolean },
): Promise<string | null> {
  const taken = await trx
    .updateTable('qrcode')
    .set((eb) => ({ used_at: clock.now(), terminal_kid: kid, sn, use_count: eb('use_count', '+', is_new ? 1 : 0) }))
    .where('kid', '=', qrcode_kid)
    .where(isUsable(clock.now()))
    .returning('terminal_group_kid')
    .executeTakeFirst()
  return taken ? taken.terminal_group_kid : refuse('qrcode_invalid')
}

export const insertAgent = (
  trx: Db,
  agent: Omit<Insertable<Tables['terminal_agent']>, 'reset_due_at'>,
): Promise<unknown> =>
  trx
    .insertInto('terminal_agent')
    .values({ ...agent, reset_due_at: null })
    .execute()

const secretOf = (deps: Deps, kid: string, generation: number): Promise<string> =>
  keyedDigest(deps, `secret ${generation} of the agent ${kid}`)

type Known = Pick<Selectable<Tables['terminal_agent']>, 'generation' | 'enrolled_at' | 'qrcode_kid' | 'kept'> &
  Pick<Selectable<Tables['terminal']>, 'kid' | 'sn' | 'first_connected_at' | 'secret_hash'>

/** The device of this hardware in the account of the code; of one that does not say it, the device that used up this code. */
const knownAgent = (
  trx: Db,
  kind: AgentKind,
  code: { account_kid: string; kid: string },
  hardware_hash: string | null,
): Promise<Known | undefined> =>
  trx
    .selectFrom('terminal_agent as a')
    .innerJoin('terminal as t', 't.kid', 'a.terminal_kid')
    .select([
      't.kid',
      't.sn',
      't.first_connected_at',
      't.secret_hash',
      'a.generation',
      'a.enrolled_at',
      'a.qrcode_kid',
      'a.kept',
    ])
    .where('a.account_kid', '=', code.account_kid)
    .where('t.agent_kind', '=', kind)
    .$if(hardware_hash !== null, (q) => q.where('a.hardware_hash', '=', hardware_hash))
    .$if(hardware_hash === null, (q) =>
      q
        .where('a.hardware_hash', 'is', null)
        .where('t.first_connected_at', 'is', null)
        .where('t.kid', 'in', (eb) =>
          eb
            .selectFrom('qrcode')
            .select('qrcode.terminal_kid')
            .where('qrcode.kid', '=', code.kid)
            .where('is_permanent', '=', false)
            .where('qrcode.terminal_kid', 'is not', null)
            .$castTo<{ terminal_kid: string }>(),
        ),
    )
    .executeTakeFirst()

/** It has not come since, or only just. One whose secret was taken away begins anew. */
const isSameEnrolment = (known: Known, qrcode_kid: string, now: Date): boolean =>
  known.qrcode_kid === qrcode_kid &&
  known.secret_hash !== null &&
  (known.first_connected_at === null || now.getTime() - known.enrolled_at.getTime() < racing_ms)

/** What stands for a serial number until it is known: of the same hardware in the same account always the same. */
export async function freeLabel(
  trx: Db,
  { kind, hardware_id }: Pick<EnrollingAgent, 'kind' | 'hardware_id'>,
  account_kid: string,
  kid: string,
): Promise<string> {
  const labelOf = (of: string) => labels[kind] + digest(of).toString('hex').slice(0, 16).toUpperCase()
  const label = labelOf(hardware_id === undefined ? kid : `${account_kid} ${hardware_id}`)
  const taken = await trx.selectFrom('terminal').select('kid').where('sn', '=', label).executeTakeFirst()
  if (taken) return labelOf(kid)
  await assertFree(trx, label)
  return label
}

async function begunAnew(trx: Db, kid: string, secret_hash: Buffer, device: AnnouncedDevice): Promise<void> {
  const { imei: _, ...facts } = device
  await trx
    .updateTable('terminal')
    .set({ ...facts, secret_hash, first_connected_at: null, renewal_asked_at: null })
    .where('kid', '=', kid)
    .execute()
}

/** Whoever goes on with the old secret is shut out, and the event says why. */
async function tellReset(deps: Deps, account_kid: string, kid: string): Promise<void> {
  forgetDevice(deps, kid)
  const at = deps.clock.now()
  await deps.db
    .insertInto('terminal_event')
    .values({
      kid: newKid(),
      account_kid,
      terminal_kid: kid,
      type: 'enrolled_again',
      at,
      received_at: at,
      detail: '{}',
    })
    .execute()
  await deps.link.kick(kid, 'enrolled_again')
  deps.live.publish(account_kid, { type: 'terminal_event', kid })
  deps.live.publish(account_kid, { type: 'terminal_info', kid })
}

/** What devices say that have no serial number of their own. */
const no_serial = /^(unknown|none|null|n\/?a|0+|0123456789abcdef|1234567890)$/i
export const saysNoSerial = (said: string): boolean => no_serial.test(said)

/**
 * Takes over the serial number that a device tells after it was enrolled under a label. One that another device has stays the
 * other's. Says whether it was scrapped: such a device may not stay.
 */
export async function takeSerial(
  { db }: Deps,
  kid: string,
  kind: AgentKind,
  said: string,
): Promise<'scrapped' | 'known'> {
  const parsed = Sn.safeParse(said)
  if (!parsed.success || saysNoSerial(parsed.data)) return 'known'
  const sn = parsed.data
  const own = await db.selectFrom('terminal').select(['sn']).where('kid', '=', kid).executeTakeFirst()
  if (!own?.sn.startsWith(labels[kind])) return 'known'
  const scrapped = await db.selectFrom('scrapped_sn').select('sn').where('sn', '=', sn).executeTakeFirst()
  if (scrapped) return 'scrapped'
  try {
    await db
      .updateTable('terminal')
      .set({ sn })
      .where('kid', '=', kid)
      .where('sn', '=', own.sn)
      .where((eb) =>
        eb.not(eb.exists(eb.selectFrom('terminal as other').select('other.kid').where('other.sn', '=', sn))),
      )
      .execute()
  } catch (error) {
    // Somebody was registered with it at the same time.
    if ((error as { constraint?: string }).constraint !== 'terminal_sn_key') throw error
  }
  return 'known'
}
