import type { AgentKind } from '@mdm/contract'
import type { Kysely } from 'kysely'
import type { AnnouncedDevice } from '../../../../db/schema/tables-devices.ts'
import type { Tables } from '../../../../db/schema/tables.ts'
import type { Deps } from '../../../../deps.ts'
import { aliasFault } from '../../../../lib/alias.ts'
import { digest, newKid, newSecret, sameBytes } from '../../../../lib/ids.ts'
import { forgetDevice } from '../../../../link/credentials.ts'
import { refuse } from '../../../../refusal.ts'
import { takeSlot } from '../quota.ts'
import { insertTerminal, tellRegistered } from '../registration/registration.ts'
import { asking, keepAnnouncement } from './announcements.ts'
import { freeLabel, insertAgent, takeCode } from './enrol-agent.ts'
import { assertAccountUsable } from './enrol.ts'

type Db = Kysely<Tables>
type LetIn = { kid: string; secret: string }
type KeyedAgent = {
  kind: AgentKind
  /** Of a permanent code. */
  token: string
  hardware_id: string
  /** What a person sees of the hardware. */
  identity: string
  /** Its public key, of which it has proved that it holds the private one. */
  key: Buffer
  address: string
  device: AnnouncedDevice
}

/**
 * The device that this key is, with a secret; undefined of one that waits for an operator: by a code that needs approval, or because another key was
 * known of its hardware. A device that is let in stays so when the code is revoked.
 */
export async function enrolByKey(deps: Deps, said: KeyedAgent): Promise<LetIn | undefined> {
  const code = await deps.db
    .selectFrom('qrcode')
    .select(['kid', 'account_kid', 'needs_approval', 'revoked_at'])
    .where('token_hash', '=', digest(said.token))
    .where('is_permanent', '=', true)
    .executeTakeFirst()
  if (!code) return refuse('qrcode_invalid')
  const { account_kid } = code
  await assertAccountUsable(deps, account_kid)
  const [claim_hash, hardware_hash] = [digest(said.key), digest(said.hardware_id).toString('hex')]
  const known = await keyed(deps.db, said.kind, account_kid, hardware_hash)
  if (known && !known.renewal_asked_at && sameBytes(known.claim_hash, claim_hash))
    return letIn(deps, known.kid, claim_hash)
  if (code.revoked_at) return refuse('qrcode_invalid')
  if (known || code.needs_approval) {
    const sn = known?.sn ?? (await freeLabel(deps.db, said, account_kid, newKid()))
    const { kind: agent_kind, identity } = said
    const of = { account_kid, qrcode_kid: code.kid, agent_kind, hardware_hash, identity }
    const row = asking(deps, said.address, { sn, claim_hash, device: JSON.stringify(said.device), ...of })
    const { is_new } = await keepAnnouncement(deps, { ...row, account_kid })
    if (is_new && known) await tellNewKey(deps, account_kid, known.kid)
    if (is_new) deps.live.publish(account_kid, { type: 'terminal_list_changed' })
    return undefined
  }
  const kid = newKid()
  const made = await deps.db.transaction().execute(async (trx) => {
    // One enrolment of an account after another.
    const refusal = await takeSlot(deps, trx, account_kid)
    // Another call of the same device was first: this one asks again.
    if (await keyed(trx, said.kind, account_kid, hardware_hash)) return undefined
    if (refusal) refuse(refusal)
    const sn = await freeLabel(trx, said, account_kid, kid)
    const terminal_group_kid = await takeCode(trx, deps, code.kid, { kid, sn, is_new: true })
    await insertTerminal(trx, deps, {
      ...{ kid, account_kid, terminal_group_kid, sn, claim_hash, secret_hash: null, agent_kind: said.kind },
      ...{ name: nameOf(said.identity), device: said.device, qrcode_kid: code.kid },
    })
    const enrolled_at = deps.clock.now()
    await insertAgent(trx, { terminal_kid: kid, account_kid, hardware_hash, enrolled_at, qrcode_kid: code.kid })
    return kid
  })
  if (!made) return undefined
  tellRegistered(deps, account_kid, made, code.kid)
  return letIn(deps, made, claim_hash)
}

/** Each time another secret: what it had before ends with it. */
async function letIn(deps: Deps, kid: string, claim_hash: Buffer): Promise<LetIn> {
  const secret = newSecret()
  const given = await deps.db
    .updateTable('terminal')
    .set({ secret_hash: digest(secret) })
    .where('kid', '=', kid)
    .where('claim_hash', '=', claim_hash)
    .where('renewal_asked_at', 'is', null)
    .returning('kid')
    .executeTakeFirst()
  if (!given) return refuse('device_unknown')
  forgetDevice(deps, kid)
  return { kid, secret }
}

/** The alias of a device that has no serial number. */
export const nameOf = (identity: string): string => (aliasFault(identity) ? '' : identity)

/** The device of this hardware in the account. */
const keyed = (db: Db, kind: AgentKind, account_kid: string, hardware_hash: string) =>
  db
    .selectFrom('terminal_agent as a')
    .innerJoin('terminal as t', 't.kid', 'a.terminal_kid')
    .select(['t.kid', 't.sn', 't.claim_hash', 't.renewal_asked_at'])
    .where('a.account_kid', '=', account_kid)
    .where('a.hardware_hash', '=', hardware_hash)
    .where('t.agent_kind', '=', kind)
    .executeTakeFirst()

async function tellNewKey({ db, clock, live }: Deps, account_kid: string, terminal_kid: string): Promise<void> {
  const at = clock.now()
  const event = { kid: newKid(), account_kid, terminal_kid, type: 'other_key', at, received_at: at, detail: '{}' }
  await db.insertInto('terminal_event').values(event).execute()
  live.publish(account_kid, { type: 'terminal_event', kid: terminal_kid })
}
