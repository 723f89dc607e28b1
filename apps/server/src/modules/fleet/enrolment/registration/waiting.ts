import type { Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { Actor } from '../../../../actor.ts'
import { readPage } from '../../../../db/paging.ts'
import type { AnnouncedDevice } from '../../../../db/schema/tables-devices.ts'
import { refuse } from '../../../../refusal.ts'
import { assertFree } from '../device/announcements.ts'
import { insertAgent, takeCode } from '../device/enrol-agent.ts'
import { nameOf } from '../device/enrol-key.ts'
import { newKid } from '../../../../lib/ids.ts'
import { takeSlot } from '../quota.ts'
import { addTerminal, tellRegistered } from './registration.ts'
import { finishRenewal } from './renewal.ts'

type Calls = Contract['terminalQrcode']['calls']

/** Devices that ask for this account by a live code, of the groups that the user sees. */
const waiting = ({ deps, account_kid, visible_groups }: Actor) =>
  deps.db
    .selectFrom('announcement as a')
    .innerJoin('qrcode', 'qrcode.kid', 'a.qrcode_kid')
    .leftJoin('terminal_group', 'terminal_group.kid', 'qrcode.terminal_group_kid')
    .leftJoin('terminal as t', (on) => on.onRef('t.sn', '=', 'a.sn').on('t.account_kid', '=', account_kid))
    .where('a.account_kid', '=', account_kid)
    .where('a.expires_at', '>', deps.clock.now())
    .where('qrcode.revoked_at', 'is', null)
    .$if(visible_groups !== undefined, (q) => {
      const seen = sql<string>`any(${[...visible_groups!]}::uuid[])`
      return q
        .where('qrcode.terminal_group_kid', '=', seen)
        .where((eb) => eb.or([eb('t.kid', 'is', null), eb('t.terminal_group_kid', '=', seen)]))
    })

export async function pagingWaiting(actor: Actor, input: In<Calls['paging_waiting']>) {
  const page = await readPage({
    query: waiting(actor)
      .select(['a.kid', 'a.sn', 'a.identity', 'a.claim_hash', 'a.device', 'a.agent_kind', 'a.address', 'a.refused_at'])
      .select(['a.announced_at', 'a.expires_at', 'qrcode.kid as qrcode_kid', 't.kid as terminal_kid'])
      .select('terminal_group.name as terminal_group_name')
      .$if(input.is_refused !== undefined, (q) => q.where('a.refused_at', input.is_refused ? 'is not' : 'is', null)),
    input,
    columns: { announced_at: { ref: sql`a.announced_at`, order: 'desc' } },
    key: sql`a.kid`,
  })
  const items = page.items.map(({ claim_hash, device, terminal_kid, ...row }) => {
    const { model, os_name, os_version } = device as AnnouncedDevice
    const is_known = terminal_kid !== null
    return { ...row, model, os_name, os_version, is_known, key_sha256: claim_hash.toString('hex') }
  })
  return { ...page, items }
}

const one = async (actor: Actor, kid: string) =>
  (await waiting(actor)
    .select(['a.sn', 'a.claim_hash', 'a.agent_kind', 'a.hardware_hash', 'a.identity'])
    .select(['qrcode.kid as qrcode_kid', 't.kid as terminal_kid'])
    .where('a.kid', '=', kid)
    .executeTakeFirst()) ?? refuse('not_found')

/** A new device is registered as by the code; of a known one the key that asks is the only one from now on. */
export async function acceptWaiting(actor: Actor, asked: string): Promise<{ kid: string; sn: string }> {
  const { deps, account_kid } = actor
  const { sn, claim_hash, agent_kind, hardware_hash, identity, qrcode_kid, terminal_kid } = await one(actor, asked)
  if (terminal_kid !== null) {
    await finishRenewal(deps, { kid: terminal_kid, account_kid }, { sn, claim_hash }, false)
    await deps.link.kick(terminal_kid, 'secret_renewed')
    return { kid: terminal_kid, sn }
  }
  const kid = newKid()
  await deps.db.transaction().execute(async (trx) => {
    const refusal = await takeSlot(deps, trx, account_kid)
    if (refusal) refuse(refusal)
    await assertFree(trx, sn)
    const there = await trx.selectFrom('announcement').select('kid').where('kid', '=', asked).forUpdate().execute()
    if (there.length === 0) refuse('not_found')
    const terminal_group_kid = await takeCode(trx, deps, qrcode_kid, { kid, sn, is_new: true })
    const of_code = { account_kid, terminal_group_kid, qrcode_kid, agent_kind }
    await addTerminal(trx, deps, { ...of_code, kid, sn, claim_hash, name: nameOf(identity) })
    if (agent_kind === 'mdm') return
    await insertAgent(trx, { terminal_kid: kid, account_kid, hardware_hash, enrolled_at: deps.clock.now(), qrcode_kid })
  })
  tellRegistered(deps, account_kid, kid, qrcode_kid)
  return { kid, sn }
}

/** It is not asked about again until its request is forgotten. */
export async function rejectWaiting(actor: Actor, kid: string): Promise<string> {
  const { sn } = await one(actor, kid)
  const { deps, account_kid } = actor
  await deps.db
    .updateTable('announcement')
    .set({ refused_at: deps.clock.now() })
    .where('kid', '=', kid)
    .where('account_kid', '=', account_kid)
    .execute()
  deps.live.publish(account_kid, { type: 'terminal_list_changed' })
  return sn
}
