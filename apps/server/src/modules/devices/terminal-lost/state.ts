import { inabilityOf, lost_section, lostScreenOf } from '@mdm/contract'
import type { Answer, Contract } from '@mdm/contract'
import type { Actor } from '../../../actor.ts'
import { deviceOf, rowOf } from './service.ts'

type LostRow = NonNullable<Awaited<ReturnType<typeof rowOf>>>
type State = Answer<Contract['terminalLost']['calls']['get']>

/** What was asked of a lost device, and what it has confirmed. */
export async function stateOf(actor: Actor, terminal_kid: string): Promise<State> {
  const device = await deviceOf(actor, terminal_kid)
  const row = await rowOf(actor, device)
  const how = lostScreenOf(device)
  const pushes = row ? await pushesOf(actor, terminal_kid, row) : new Map<string, NonNullable<State['ring']>>()
  const pushOf = (kid: string | null | undefined) => (kid ? (pushes.get(kid) ?? null) : null)
  const confirmed = row && how === 'kept' ? await confirmedOf(actor, terminal_kid, row) : undefined
  return {
    lost: row
      ? {
          message: row.message,
          phone: row.phone,
          lost_at: row.lost_at,
          lost_by: row.lost_by,
          found_at: row.found_at,
          found_by: row.found_by,
        }
      : null,
    screen: {
      how,
      outcome: row && how === 'kept' ? (confirmed?.outcome ?? 'waiting') : null,
      said_at: confirmed?.at ?? null,
      message: confirmed?.message ?? null,
    },
    can: {
      screen: how === 'none' ? (inabilityOf(device, 'lock') ?? 'not_capable') : null,
      ring: inabilityOf(device, 'find') ?? null,
      wipe: inabilityOf(device, 'factory_reset') ?? null,
    },
    lock: pushOf(row?.lock_kid),
    message: pushOf(row?.message_kid),
    ring: pushOf(row?.ring_kid),
    wipe: pushOf(row?.wipe_kid),
  }
}

/**
 * What the device said of the version that locks it, or lets it go. A device that was reset since then holds an older version, or
 * none, and one that was registered anew has said nothing of an earlier registration's.
 */
async function confirmedOf({ scope }: Actor, terminal_kid: string, row: LostRow) {
  const since = row.terminal_kid === terminal_kid ? row.since_version : 1
  return scope
    .selectFrom('terminal_config_result as r')
    .innerJoin('terminal_state as s', 's.terminal_kid', 'r.terminal_kid')
    .select(['r.outcome', 'r.at', 'r.message'])
    .where('r.terminal_kid', '=', terminal_kid)
    .where('r.section', '=', lost_section)
    .where('r.version', '>=', since)
    .where('s.config_version', '>=', since)
    .executeTakeFirst()
}

async function pushesOf({ scope }: Actor, terminal_kid: string, row: LostRow) {
  const kids = [row.ring_kid, row.lock_kid, row.message_kid, row.wipe_kid].filter((kid) => kid !== null)
  if (kids.length === 0) return new Map<string, NonNullable<State['ring']>>()
  const rows = await scope
    .selectFrom('push_task as p')
    .leftJoin('push_task_terminal as r', (join) =>
      join.onRef('r.push_task_kid', '=', 'p.kid').on('r.terminal_kid', '=', terminal_kid),
    )
    .select(['p.kid', 'p.phase', 'p.phase_at', 'p.created_at', 'r.state', 'r.state_at', 'r.cancel_asked_at', 'r.code'])
    .where('p.kid', 'in', kids)
    .execute()
  return new Map(
    rows.map(({ kid, phase, phase_at, created_at, state, state_at, cancel_asked_at, code }) => [
      kid,
      {
        push_task_kid: kid,
        phase,
        state,
        at: state_at ?? phase_at ?? created_at,
        cancel_asked: cancel_asked_at !== null,
        code,
      },
    ]),
  )
}
