import { requests } from '@mdm/device-link'
import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import { newKid } from '../lib/ids.ts'
import { forgetDevice } from './credentials.ts'
import type { openRequests } from './requests.ts'
import { count } from './stats.ts'

const quarantine_ms = 60 * 60_000
const answer_ms = 10_000
/** No machine boots twice in so short a time. */
const quick_ms = 30_000
/** For what an answer is under way, and for seconds that are rounded. */
const slack_ms = 3_000

/** A machine that answered: which boot it is in, when that was heard, and for how long it ran by then, where it says so. */
export type Sign = { boot_id: string; at: number; uptime?: number | undefined }

/**
 * Whether these answers, the last of which came now, are of two machines that run at the same time: one answered before and
 * after another one, and has not booted in between. A boot that merely comes back proves nothing.
 */
export function areTwoMachines(signs: readonly Sign[]): boolean {
  const [first, other, last] = signs.slice(-3)
  if (!first || !other || !last || first.boot_id !== last.boot_id || other.boot_id === last.boot_id) return false
  const between_ms = last.at - first.at
  // It ran when the first answer came.
  if (last.uptime !== undefined) return last.uptime * 1000 > between_ms + slack_ms
  return between_ms <= quick_ms
}

/** What is known with one answer more: of a machine that answers again only the later one. */
export function withSign(signs: readonly Sign[], sign: Sign): Sign[] {
  const others = signs.at(-1)?.boot_id === sign.boot_id ? signs.slice(0, -1) : signs
  return [...others, sign].slice(-3)
}

/** One secret that is alive in two machines was copied: an event, and an hour for somebody to look. */
export function watchClones(
  deps: Deps,
  {
    request,
    kick,
  }: Pick<ReturnType<typeof openRequests>, 'request'> & { kick(kid: string, reason: string): Promise<void> },
) {
  /** A boot came back after another one: whoever is there is asked which it is in. */
  function suspect(kid: string): void {
    request(kid, 'ping', {}, answer_ms)
      .then((data) => {
        const { boot_id, uptime } = requests.ping.data.parse(data)
        return heard(kid, { boot_id, at: deps.clock.now().getTime(), uptime })
      })
      // It is gone again, or answers nothing: that is no evidence.
      .catch((error: unknown) => deps.log.debug({ err: error, terminal_kid: kid }, 'a device was not told apart'))
  }

  async function heard(kid: string, sign: Sign): Promise<void> {
    const proof = await deps.db.transaction().execute(async (trx) => {
      const row = await trx
        .selectFrom('terminal_state')
        .select([
          'machines',
          sql<Date | null>`(SELECT quarantined_until FROM terminal WHERE kid = terminal_kid)`.as('until'),
        ])
        .where('terminal_kid', '=', kid)
        .forNoKeyUpdate()
        .executeTakeFirst()
      // What was still on its way when the quarantine began is no new evidence.
      if (!row || (row.until && row.until > deps.clock.now())) return undefined
      const signs = withSign(row.machines ?? [], sign)
      const is_proof = areTwoMachines(signs)
      const machines = is_proof ? null : JSON.stringify(signs)
      await trx.updateTable('terminal_state').set({ machines }).where('terminal_kid', '=', kid).execute()
      return is_proof ? signs : undefined
    })
    if (proof) await quarantine(kid, proof)
  }

  async function quarantine(kid: string, proof: readonly Sign[]): Promise<void> {
    const now = deps.clock.now()
    const until = new Date(now.getTime() + quarantine_ms)
    const terminal = await deps.db
      .updateTable('terminal')
      .set({ quarantined_until: until })
      .where('kid', '=', kid)
      .returning('account_kid')
      .executeTakeFirst()
    if (!terminal) return
    count('devices_quarantined')
    deps.log.warn({ terminal_kid: kid, until, proof }, 'one device secret is used by two machines: quarantined')
    forgetDevice(deps, kid)
    const [, other, last] = proof
    await deps.db
      .insertInto('terminal_event')
      .values({
        kid: newKid(),
        account_kid: terminal.account_kid,
        terminal_kid: kid,
        type: 'cloned_secret',
        at: now,
        received_at: now,
        detail: JSON.stringify({
          quarantined_until: until.toISOString(),
          boot_id: last!.boot_id,
          other_boot_id: other!.boot_id,
          other_answered_at: new Date(other!.at).toISOString(),
        }),
      })
      .execute()
    deps.live.publish(terminal.account_kid, { type: 'terminal_event', kid })
    deps.live.publish(terminal.account_kid, { type: 'terminal_info', kid })
    deps.live.publish(terminal.account_kid, { type: 'terminal_list_changed' })
    await kick(kid, 'quarantined')
  }

  return { suspect }
}
