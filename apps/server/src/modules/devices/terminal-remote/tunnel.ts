import { holds } from '@mdm/contract'
import type { RemoteEnd, RemoteKind } from '@mdm/contract'
import { isKid } from '@mdm/device-link'
import { sql } from 'kysely'
import type { Deps } from '../../../deps.ts'
import type { SignedIn } from '../../../http/context.ts'
import { stillSignedIn } from '../../../http/live/sessions.ts'
import { limitedTo } from '../../../http/session-row.ts'
import { sessionOf } from '../../../http/session.ts'
import { bearerOf, authenticateDevice } from '../../../link/credentials.ts'
import type { Carrier } from '../../../link/tunnels/tunnels.ts'
import { clockDoubt } from '../../../lib/clock-watch.ts'
import { Refusal } from '../../../refusal.ts'
import { carrierOf } from './carrier.ts'
import type { RemoteCarrier } from './carrier.ts'
import { closeOf, endSession, tell } from './ends.ts'
import { mayChange, needs } from './open.ts'
import { settingsOf } from './settings.ts'
import { useDeviceTicket, useNodeTicket, useViewerTicket } from './tickets.ts'
import type { ViewerRow } from './tickets.ts'

/** A tunnel with an end on this server; `login` and `carrier` once its viewer has come, a carrier only where the device's end is. */
type Held = {
  kid: string
  session: { kid: string; account_kid: string; terminal_kid: string }
  login_session: SignedIn | undefined
  carrier: RemoteCarrier | undefined
  /** What the viewer was told last. */
  told: string
}
export type HeldTunnels = Map<string, Held>

export type Asked = { kid: string; ticket: string; authorization: string | undefined }
type Admitted = {
  /** Called with the end itself: one that has gone before it stood leaves nothing behind. */
  begin(): void
} & (
  | { end: 'device' }
  /** Forwards: it is another server, whose close codes are believed. */
  | { end: 'viewer'; carrier: Carrier; forwards: boolean }
  /** The device's end is on another server. */
  | { end: 'away'; url: string; ticket: string }
)

/** Which end of a tunnel somebody with this ticket may take. Undefined: none. The ticket is used up in any case. */
export async function admit(deps: Deps, { kid, ticket, authorization }: Asked): Promise<Admitted | undefined> {
  if (!isKid(kid)) return undefined
  if (authorization !== undefined) return admitDevice(deps, kid, ticket, authorization)
  const asViewer = await useViewerTicket(deps, kid, ticket)
  const row = asViewer?.row ?? (await useNodeTicket(deps, kid, ticket))
  if (!row) return undefined
  const found = await openFor(deps, row)
  if (!found) return undefined
  const { session, login } = found
  const session_of = { kid: row.session_kid, account_kid: row.account_kid, terminal_kid: row.terminal_kid }
  await deps
    .scope(row.account_kid)
    .updateTable('remote_viewer')
    .set({ joined_at: deps.clock.now() })
    .where('kid', '=', kid)
    .execute()
  tell(deps, session_of)
  if (row.node_kid !== deps.node_kid) {
    const node = await deps.db.selectFrom('node').select('url').where('kid', '=', row.node_kid).executeTakeFirst()
    if (!node?.url || !asViewer) return undefined
    const begin = beginning(deps, { kid, session: session_of, login_session: login, carrier: undefined, told: '' })
    return { end: 'away', url: node.url, ticket: asViewer.onward, begin }
  }
  const settings = await settingsOf(deps.scope(row.account_kid))
  const has_control = row.has_control && mayChange(session.kind, login.permissions)
  const { session_kid, account_kid } = row
  const carrier = carrierOf(deps, { kid, kind: session.kind, session_kid, account_kid }, settings, has_control)
  const begin = beginning(deps, { kid, session: session_of, login_session: login, carrier, told: '' })
  return { end: 'viewer', carrier, forwards: !asViewer, begin }
}

const beginning = (deps: Deps, held: Held) => () => void deps.memory.remote.set(held.kid, held)

async function admitDevice(deps: Deps, kid: string, ticket: string, authorization: string) {
  const given = bearerOf(authorization)
  const device = given.kid && given.secret ? await authenticateDevice(deps, given.kid, given.secret) : undefined
  const row = device && (await useDeviceTicket(deps, kid, ticket, device.terminal_kid))
  if (!row) return undefined
  const session = { kid: row.session_kid, account_kid: row.account_kid, terminal_kid: row.terminal_kid }
  const begin = beginning(deps, { kid, session, login_session: undefined, carrier: undefined, told: '' })
  return { end: 'device', begin } as const
}

/** The session, while it is open, and the sign-in of its viewer, while that holds and may still look. */
async function openFor(
  deps: Deps,
  { session_kid, account_kid, login_kid, user_kid }: ViewerRow,
): Promise<{ session: { kind: RemoteKind }; login: SignedIn } | undefined> {
  const session = await deps
    .scope(account_kid)
    .selectFrom('remote_session')
    .select('kind')
    .where('kid', '=', session_kid)
    .where('ended_at', 'is', null)
    .where('ends_at', '>', deps.clock.now())
    .executeTakeFirst()
  if (!session) return undefined
  try {
    const login = await sessionOf(deps, login_kid, account_kid)
    if (login?.user_kid !== user_kid || !holds(login.permissions, needs[session.kind])) return undefined
    return { session, login }
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** A tunnel of this server has ended, whoever ended it. */
export async function left(deps: Deps, kid: string): Promise<void> {
  const held = deps.memory.remote.get(kid)
  deps.memory.remote.delete(kid)
  if (!held) return
  try {
    await deps
      .scope(held.session.account_kid)
      .updateTable('remote_viewer')
      .set({ left_at: deps.clock.now() })
      .where('kid', '=', kid)
      .where('left_at', 'is', null)
      .execute()
    tell(deps, held.session)
  } catch (error) {
    deps.log.warn({ err: error, tunnel_kid: kid }, 'the end of a tunnel could not be noted; it is found later')
  }
}

type Standing = {
  kid: string
  has_control: boolean
  ended_at: Date | null
  end_reason: RemoteEnd | null
  ends_at: Date
  left_at: Date | null
  kind: RemoteKind
  viewers: number
  is_registered: boolean
  is_visible: boolean
}

/** Looks at every tunnel of this server at once, and ends those that nobody may have any more. */
export async function watch(deps: Deps): Promise<void> {
  const held = [...deps.memory.remote.values()]
  if (held.length === 0) return
  const now = deps.clock.now()
  const withLogin = held.flatMap((each) => (each.login_session ? [{ each, session: each.login_session }] : []))
  const [{ rows }, isSignedIn] = await Promise.all([
    sql<Standing>`
      SELECT v.kid, v.has_control, v.left_at, s.ended_at, s.end_reason, s.ends_at, s.kind,
        (SELECT count(*)::integer FROM remote_viewer o
          WHERE o.session_kid = s.kid AND o.left_at IS NULL AND o.joined_at IS NOT NULL) AS viewers,
        (t.kid IS NOT NULL AND COALESCE(t.quarantined_until <= ${now}, true)) AS is_registered,
        (u.kid IS NOT NULL AND COALESCE(t.terminal_group_kid = ANY(limited.kids), limited.kids IS NULL)) AS is_visible
      FROM remote_viewer v
      JOIN remote_session s ON s.kid = v.session_kid
      LEFT JOIN terminal t ON t.kid = v.terminal_kid AND t.account_kid = v.account_kid
      LEFT JOIN user_account u ON u.kid = v.user_kid
      LEFT JOIN LATERAL (SELECT ${limitedTo('u')} AS kids) limited ON true
      WHERE v.kid = ANY(${held.map(({ kid }) => kid)}::uuid[])`.execute(deps.db),
    stillSignedIn(deps, withLogin),
  ])
  const byKid = new Map(rows.map((row) => [row.kid, row]))
  const signedOut = new Set(withLogin.filter((one) => !isSignedIn(one)).map(({ each }) => each.kid))
  const judged = held.map((one) => judge(deps, one, byKid.get(one.kid), signedOut.has(one.kid)))
  for (const each of await Promise.allSettled(judged)) if (each.status === 'rejected') throw each.reason
}

async function judge(deps: Deps, held: Held, row: Standing | undefined, is_signed_out: boolean): Promise<void> {
  const { kid, session, carrier, login_session } = held
  const { tunnels } = deps.memory
  if (!row) return tunnels.end(kid, 'ended')
  if (row.ended_at !== null) return tunnels.end(kid, closeOf(row.end_reason ?? 'ended'))
  if (row.ends_at <= deps.clock.now() && !clockDoubt(deps)) return void (await endSession(deps, session, 'expired'))
  if (!row.is_registered) return void (await endSession(deps, session, 'device_gone'))
  if (is_signed_out || !row.is_visible) {
    const why = is_signed_out ? 'signed_out' : 'not_allowed'
    try {
      // With the last who looks, the session ends.
      if (row.viewers <= 1) await endSession(deps, session, why)
    } finally {
      tunnels.end(kid, why)
    }
    return
  }
  if (row.left_at !== null) return tunnels.end(kid, 'ended')
  if (!carrier || !login_session) return
  const has_control = row.has_control && mayChange(row.kind, login_session.permissions)
  carrier.setControl(has_control)
  const note = { has_control, viewers: row.viewers }
  const told = JSON.stringify([note, row.ends_at])
  if (held.told === told) return
  held.told = told
  tunnels.tellViewer(kid, note)
  tunnels.tellViewer(kid, { ends_at: row.ends_at.toISOString() })
}
