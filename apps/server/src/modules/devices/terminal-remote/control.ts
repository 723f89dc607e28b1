import { holds, remote_period_seconds } from '@mdm/contract'
import type { RemoteSession } from '@mdm/contract'
import type { Actor } from '../../../actor.ts'
import type { ActorWith } from '../../../http/context.ts'
import { sessionOf } from '../../../http/session.ts'
import { refuse } from '../../../refusal.ts'
import { endSession, tell } from './ends.ts'
import { controls, entitlement, moveControl, needs } from './open.ts'
import type { SessionRow } from './open.ts'
import { oneSession, sessionsOf, shown } from './read.ts'
import { watch } from './tunnel.ts'

const period_ms = remote_period_seconds * 1000

/** Gives control to one viewer, or to none. Answers whose it is now. */
export async function giveControl(actor: Actor, session_kid: string, viewer_kid: string | null) {
  const { deps, scope } = actor
  const session = await oneSession(actor, session_kid)
  if (session.ended_at !== null || session.kind !== 'desktop') refuse('remote_ended')
  let name: string | undefined
  if (viewer_kid !== null) {
    const viewer = await scope
      .selectFrom('remote_viewer')
      .select(['login_kid', 'username'])
      .where('kid', '=', viewer_kid)
      .where('session_kid', '=', session_kid)
      .where('left_at', 'is', null)
      .executeTakeFirst()
    if (!viewer) return refuse('not_found')
    const theirs = await sessionOf(deps, viewer.login_kid, session.account_kid)
    if (!theirs || !holds(theirs.permissions, controls)) refuse('no_permission')
    name = viewer.username
  }
  await moveControl(scope, session_kid, viewer_kid)
  await watch(deps)
  tell(deps, session)
  return { name }
}

/** Refuses all when one of them is out of reach; those that have ended already do not count. */
export async function end(actor: ActorWith<'may'>, kids: readonly string[]): Promise<SessionRow[]> {
  const unique = [...new Set(kids)]
  const sessions = await sessionsOf(actor, unique)
  if (sessions.length < unique.length) refuse('not_found')
  if (sessions.some(({ kind }) => !actor.may(needs[kind]))) refuse('no_permission')
  const ended: SessionRow[] = []
  for (const session of sessions) if (await endSession(actor.deps, session, 'ended', actor.scope)) ended.push(session)
  return ended
}

/** The session that runs under this entitlement; the newest where there are several. */
async function running(actor: Actor, terminal_policy_kid: string): Promise<SessionRow> {
  const { deps, scope } = actor
  const found = await scope
    .selectFrom('remote_session')
    .innerJoin('terminal', 'terminal.kid', 'remote_session.terminal_kid')
    .selectAll('remote_session')
    .where('remote_session.terminal_policy_kid', '=', terminal_policy_kid)
    .where('remote_session.ended_at', 'is', null)
    .where('remote_session.ends_at', '>', deps.clock.now())
    .orderBy('remote_session.created_at', 'desc')
    .executeTakeFirst()
  return found ?? refuse('remote_ended')
}

async function setPeriods(actor: Actor, session: SessionRow, renewals: number): Promise<RemoteSession> {
  const { deps, scope } = actor
  const { numUpdatedRows } = await scope
    .updateTable('remote_session')
    .set({ renewals, ends_at: new Date(session.created_at.getTime() + (1 + renewals) * period_ms) })
    .where('kid', '=', session.kid)
    .where('ended_at', 'is', null)
    // Whoever has renewed it meanwhile counted from the same.
    .where('renewals', '=', session.renewals)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) refuse('remote_ended')
  await watch(deps)
  tell(deps, session)
  return shown(actor, session.kid)
}

/** Adds periods to the running session of an entitlement that still holds. */
export async function renew(actor: Actor, terminal_policy_kid: string, step: number): Promise<RemoteSession> {
  const session = await running(actor, terminal_policy_kid)
  if ((await entitlement(actor, session.sn)) === null) refuse('remote_no_entitlement')
  return setPeriods(actor, session, session.renewals + step)
}

/** Takes back what was added and has not begun. */
export async function clearRenewal(actor: Actor, terminal_policy_kid: string): Promise<RemoteSession> {
  const session = await running(actor, terminal_policy_kid)
  const begun = Math.floor((actor.deps.clock.now().getTime() - session.created_at.getTime()) / period_ms)
  return setPeriods(actor, session, Math.min(session.renewals, begun))
}
