import type { Contract, In, RemoteSession } from '@mdm/contract'
import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { containing, inOrderOf, readPage } from '../../../db/paging.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { refuse } from '../../../refusal.ts'

type Input = In<Contract['terminalRemote']['calls']['paging']>

/** Sessions within reach: of a user limited to groups those with devices that are in one of them today. */
const visible = ({ scope, visible_groups }: Actor) =>
  scope
    .selectFrom('remote_session')
    .$if(visible_groups !== undefined, (q) => q.innerJoin('terminal', 'terminal.kid', 'remote_session.terminal_kid'))

export const sessionsOf = (actor: Actor, kids: readonly string[]): Promise<Selectable<Tables['remote_session']>[]> =>
  visible(actor)
    .selectAll('remote_session')
    .where('remote_session.kid', 'in', [...kids])
    .execute()

export const oneSession = async (actor: Actor, kid: string) =>
  (await sessionsOf(actor, [kid]))[0] ?? refuse('not_found')

export async function paging(actor: Actor, input: Input) {
  const { text, terminal_kid, kind, is_open } = input
  return readPage({
    query: visible(actor)
      .select('remote_session.kid')
      .$if(Boolean(text), (q) => q.where('remote_session.search', 'like', containing(text!)))
      .$if(terminal_kid !== undefined, (q) => q.where('remote_session.terminal_kid', '=', terminal_kid!))
      .$if(kind !== undefined, (q) => q.where('remote_session.kind', '=', kind!))
      .$if(is_open !== undefined, (q) => q.where('remote_session.ended_at', is_open ? 'is' : 'is not', null)),
    hydrate: (kids) => withParts(actor, kids),
    input,
    columns: {
      created_at: { ref: sql`remote_session.created_at`, order: 'desc' },
      ended_at: { ref: sql`remote_session.ended_at`, is_nullable: true, order: 'desc' },
    },
    key: sql`remote_session.kid`,
  })
}

export const shown = async (actor: Actor, kid: string): Promise<RemoteSession> =>
  (await withParts(actor, [kid]))[0] ?? refuse('not_found')

async function withParts(actor: Actor, kids: readonly string[]): Promise<RemoteSession[]> {
  const { scope } = actor
  const [rows, viewers, recordings] = await Promise.all([
    sessionsOf(actor, kids),
    scope
      .selectFrom('remote_viewer')
      .selectAll()
      .where('session_kid', 'in', [...kids])
      .orderBy('created_at')
      .orderBy('kid')
      .execute(),
    scope
      .selectFrom('remote_recording')
      .selectAll()
      .where('session_kid', 'in', [...kids])
      .orderBy('started_at')
      .orderBy('kid')
      .execute(),
  ])
  const found = rows.map(({ account_kid: _, search: __, ...row }) => ({
    ...row,
    created_at: row.created_at.toISOString(),
    ends_at: row.ends_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
    viewers: viewers
      .filter(({ session_kid }) => session_kid === row.kid)
      .map(({ kid, user_kid, username, has_control, created_at, joined_at, left_at }) => ({
        kid,
        user_kid,
        username,
        has_control,
        joined_at: (joined_at ?? created_at).toISOString(),
        left_at: left_at?.toISOString() ?? null,
      })),
    recordings: recordings
      .filter(({ session_kid }) => session_kid === row.kid)
      .map(({ kid, format, bytes, seconds, started_at }) => ({
        kid,
        format,
        bytes,
        seconds,
        started_at: started_at.toISOString(),
      })),
  }))
  return inOrderOf(kids, found)
}
