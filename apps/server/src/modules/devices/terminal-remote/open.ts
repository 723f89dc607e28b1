import { holds, remote_period_seconds } from '@mdm/contract'
import type { RemoteConsent, RemoteKind, RemoteSettings, RemoteTicket } from '@mdm/contract'
import type { TunnelOpen } from '@mdm/device-link'
import { sql } from 'kysely'
import type { Kysely, Selectable } from 'kysely'
import type * as z from 'zod'
import type { ActorWith } from '../../../http/context.ts'
import { lockAccount } from '../../../db/lock-account.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { newKid } from '../../../lib/ids.ts'
import { askDevice } from '../../../link/ask.ts'
import { Refusal, refuse } from '../../../refusal.ts'
import { isOnline } from '../terminal-file/index.ts'
import { assertMayAsk, noteConsent, noteRefusal } from './consent.ts'
import { deviceCame } from './device-came.ts'
import { oneSession, shown } from './read.ts'
import { settingsOf } from './settings.ts'
import { giveViewerTicket, newTicket } from './tickets.ts'
import { tell } from './ends.ts'

type Opener = ActorWith<'session' | 'may'>
export type SessionRow = Selectable<Tables['remote_session']>
type Size = { columns: number; rows: number }

const of_device = 4
const of_account = 50
const of_server = 500
/** A person is asked, or a device answers by itself. */
const asked_ms = 60_000
const answer_ms = 15_000

export const needs = {
  desktop: 'deviceDetailRemote',
  terminal: 'deviceDetailRemote:terminal',
  log: 'deviceDetailRemote:log',
  files: 'deviceDetailFileManager',
} as const satisfies Record<RemoteKind, string>
export const controls = 'deviceDetailRemote:control'
/** What takes a permission of its own, beside looking: a screen and files can be looked at only. */
const changes: Partial<Record<RemoteKind, string>> = { desktop: controls, files: 'deviceDetailFileManager:write' }
export const mayChange = (kind: RemoteKind, permissions: readonly string[]): boolean =>
  changes[kind] === undefined || holds(permissions, changes[kind])

const words = {
  no_consent: 'remote_no_consent',
  permission_missing: 'remote_permission_missing',
  asleep: 'remote_asleep',
  no_source: 'no_remote_connection',
  busy: 'remote_busy',
} as const

/** Opens a session with a device; the browser has 30 seconds to come for its end. */
export async function open(
  actor: Opener,
  wanted: { terminal_kid: string; kind: RemoteKind; view_only: boolean; size?: Size },
): Promise<RemoteTicket> {
  const { deps, scope, account_kid, user } = actor
  const { terminal_kid, kind, view_only } = wanted
  const settings = await settingsOf(scope)
  const sn = await assertOpenable(actor, terminal_kid, kind, settings)
  const terminal_policy_kid = await entitlement(actor, sn)
  const now = deps.clock.now()
  const row = {
    kid: newKid(),
    account_kid,
    terminal_kid,
    sn,
    kind,
    // A log and files show nothing of what somebody does.
    consent:
      (kind === 'log' || kind === 'files') && settings.consent === 'ask' ? ('notify' as const) : settings.consent,
    created_by: user.name,
    created_by_kid: user.kid,
    created_at: now,
    ends_at: new Date(now.getTime() + remote_period_seconds * 1000),
    terminal_policy_kid,
  }
  const has_control = !view_only && mayChange(kind, actor.session.permissions)
  return connect(actor, row, settings, row.consent, has_control, true, wanted.size)
}

/** Comes to a session that is open. Who was let in once is not asked about again. */
export async function join(actor: Opener, session_kid: string): Promise<RemoteTicket & { sn: string }> {
  const { deps, scope, user } = actor
  const session = await oneSession(actor, session_kid)
  if (!actor.may(needs[session.kind])) refuse('no_permission')
  const settings = await settingsOf(scope)
  if (session.ended_at !== null || session.ends_at <= deps.clock.now()) refuse('remote_ended')
  await assertOpenable(actor, session.terminal_kid, session.kind, settings)
  await entitlement(actor, session.sn)
  const earlier = await scope
    .selectFrom('remote_viewer')
    .select(['user_kid', 'has_control', 'joined_at', 'left_at'])
    .where('session_kid', '=', session_kid)
    .orderBy('created_at', 'desc')
    .orderBy('kid', 'desc')
    .execute()
  const mine = earlier.filter((each) => each.user_kid === user.kid && each.joined_at !== null)
  const consent = session.consent === 'ask' && mine.length > 0 ? 'notify' : session.consent
  // Whose connection was lost comes back to what was had: that end may not be known to be lost yet.
  const others = earlier.some((each) => each.has_control && each.left_at === null && each.user_kid !== user.kid)
  const had = mine[0]?.has_control === true && !others
  const has_control = (session.kind !== 'desktop' || had) && mayChange(session.kind, actor.session.permissions)
  return { ...(await connect(actor, session, settings, consent, has_control, false)), sn: session.sn }
}

async function assertOpenable(
  { scope }: Opener,
  terminal_kid: string,
  kind: RemoteKind,
  settings: RemoteSettings,
): Promise<string> {
  const is_online = await isOnline(scope, terminal_kid)
  if (kind === 'terminal' && !settings.terminal) refuse('remote_terminal_off')
  if (!is_online) refuse('device_not_online')
  const { sn, tunnels } = await scope
    .selectFrom('terminal')
    .select(['sn', 'tunnels'])
    .where('kid', '=', terminal_kid)
    .executeTakeFirstOrThrow()
  if (!tunnels?.includes(kind)) refuse('no_remote_connection')
  return sn
}

/** The policy that entitles to remote service now; null without one, where none is asked for. */
export async function entitlement({ deps, scope }: Pick<Opener, 'deps' | 'scope'>, sn: string): Promise<string | null> {
  const now = deps.clock.now()
  const found = await scope
    .selectFrom('terminal_policy')
    .select('kid')
    .where('sn', '=', sn)
    .where('starts_at', '<=', now)
    .where('ends_at', '>', now)
    .orderBy('ends_at', 'desc')
    .executeTakeFirst()
  if (!found && deps.config.remote_needs_policy) refuse('remote_no_entitlement')
  return found?.kid ?? null
}

type New = Pick<SessionRow, 'kid' | 'account_kid' | 'terminal_kid' | 'sn' | 'kind'> & Partial<SessionRow>

/** Has the device bring its end, and gives the browser a ticket for the other one. Nothing is left of it when it fails. */
async function connect(
  actor: Opener,
  session: New,
  settings: RemoteSettings,
  consent: RemoteConsent,
  has_control: boolean,
  is_new: boolean,
  size?: Size,
): Promise<RemoteTicket> {
  const { deps, scope, account_kid, user } = actor
  const { terminal_kid, kind } = session
  if (deps.memory.tunnels.size >= of_server) refuse('remote_busy')
  const kid = newKid()
  const { ticket, hash } = newTicket()
  const silence_ms = consent === 'ask' ? asked_ms : answer_ms
  const now = deps.clock.now()
  await scope.transaction().execute(async (trx) => {
    await lockAccount(trx, account_kid)
    await assertRoom(trx, terminal_kid)
    if (consent === 'ask') await assertMayAsk(trx, terminal_kid, now)
    if (is_new)
      await trx
        .insertInto('remote_session')
        .values(session as SessionRow)
        .execute()
    await trx
      .insertInto('remote_viewer')
      .values({
        kid,
        account_kid,
        session_kid: session.kid,
        terminal_kid,
        user_kid: user.kid,
        username: user.name,
        login_kid: actor.session.kid,
        // Of a screen it moves once the device has answered.
        has_control: has_control && (is_new || kind !== 'desktop'),
        created_at: now,
        device_ticket: hash,
        ticket_ends_at: new Date(now.getTime() + silence_ms),
      })
      .execute()
  })
  const asked: z.input<typeof TunnelOpen> = {
    tunnel_kid: kid,
    kind,
    url: `/tunnel/${kid}`,
    ticket,
    consent,
    viewer: user.name.slice(0, 100),
    clipboard: settings.clipboard,
    view_only: !mayChange(kind, actor.session.permissions),
    ...size,
  }
  const { came, stop } = deviceCame(actor, kid)
  try {
    await Promise.race([askDevice(deps, terminal_kid, 'tunnel_open', asked, words, { silence_ms }), came])
    const given = await giveViewerTicket(deps, kid)
    if (given === undefined) refuse('device_answer_invalid')
    if (consent === 'ask') await noteConsent(scope, terminal_kid)
    if (kind === 'desktop' && has_control && !is_new) await moveControl(scope, session.kid, kid)
    tell(deps, session)
    return { session: await shown(actor, session.kid), viewer_kid: kid, url: `/tunnel/${kid}`, ticket: given }
  } catch (error) {
    deps.memory.tunnels.end(kid, 'failed')
    if (is_new) await scope.deleteFrom('remote_session').where('kid', '=', session.kid).execute()
    else await scope.deleteFrom('remote_viewer').where('kid', '=', kid).execute()
    if (consent === 'ask' && error instanceof Refusal && error.refusal === 'remote_no_consent')
      await noteRefusal(actor, terminal_kid)
    throw error
  } finally {
    stop()
  }
}

/** In one statement: there are never two who have it. */
export async function moveControl(
  scope: Kysely<Tables>,
  session_kid: string,
  viewer_kid: string | null,
): Promise<void> {
  await scope
    .updateTable('remote_viewer')
    .set({ has_control: viewer_kid === null ? false : sql<boolean>`kid = ${viewer_kid}` })
    .where('session_kid', '=', session_kid)
    .execute()
}

async function assertRoom(trx: Kysely<Tables>, terminal_kid: string): Promise<void> {
  const { all, here } = await trx
    .selectFrom('remote_viewer')
    .select([
      sql<number>`count(*)::integer`.as('all'),
      sql<number>`count(*) FILTER (WHERE terminal_kid = ${terminal_kid})::integer`.as('here'),
    ])
    .where('left_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (all >= of_account || here >= of_device) refuse('remote_busy')
}
