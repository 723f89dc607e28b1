import type { Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { readPage } from '../../db/paging.ts'
import type { Tables } from '../../db/schema/tables.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../refusal.ts'
import { digest, newKid, newSecret } from '../../lib/ids.ts'
import { seal, unseal } from '../../lib/sealed.ts'
import { target } from '../terminal-group/service.ts'
import type { Reach } from '../../actor.ts'
import { givenAddress, publicUrl, qrContent } from './addresses.ts'

type Calls = Contract['terminalQrcode']['calls']
type Db = Kysely<Tables>
export type Viewer = { deps: Deps; scope: Db; reach: Reach }
export type Caller = Viewer & { account_kid: string; user: { kid: string; name: string } }

/** A token that is in no row yet, for whoever must know it before the code is made. */
export type Draft = { token: string; host: string | null; terminal_group_kid: string | null }

export async function draftPermanent(
  { scope, account_kid, reach }: Caller,
  input: In<Calls['qrcode_forever_registered']>,
): Promise<Draft> {
  const host = givenAddress(input.host) ?? null
  return {
    token: newSecret(),
    host,
    terminal_group_kid: await target(scope, account_kid, reach, input.terminal_group_kid),
  }
}

export async function insertPermanent({ deps, scope, account_kid, user }: Caller, draft: Draft): Promise<string> {
  const { token, ...rest } = draft
  const kid = newKid()
  await scope
    .insertInto('qrcode')
    .values({
      kid,
      account_kid,
      ...rest,
      token_hash: digest(token),
      token_sealed: await seal(deps, token),
      is_permanent: true,
      expires_at: null,
      created_by_kid: user.kid,
      created_by: user.name,
      created_at: deps.clock.now(),
    })
    .execute()
  return kid
}

/** A code that registers every device that shows it, until it is revoked. */
export async function createPermanent(caller: Caller, input: In<Calls['qrcode_forever_registered']>) {
  const kid = await insertPermanent(caller, await draftPermanent(caller, input))
  return showPermanent(caller, kid)
}

export const pagingPermanent = (viewer: Viewer, input: In<Calls['paging']>) =>
  readPage({
    query: permanent(viewer)
      .$if(input.is_revoked !== undefined, (q) =>
        q.where('qrcode.revoked_at', input.is_revoked ? 'is not' : 'is', null),
      )
      .$if(input.terminal_group_kid !== undefined, (q) =>
        q.where('qrcode.terminal_group_kid', '=', input.terminal_group_kid!),
      ),
    input,
    columns: {
      created_at: { ref: sql`qrcode.created_at`, order: 'desc' },
      used_at: { ref: sql`qrcode.used_at`, is_nullable: true, order: 'desc' },
      use_count: { ref: sql`qrcode.use_count`, order: 'desc' },
    },
    key: sql`qrcode.kid`,
  })

/** A code of a group out of a limited user's reach is none for that user. */
const permanent = ({ scope, reach }: Viewer) =>
  scope
    .selectFrom('qrcode')
    .leftJoin('terminal_group', 'terminal_group.kid', 'qrcode.terminal_group_kid')
    .select([
      'qrcode.kid',
      'qrcode.terminal_group_kid',
      'terminal_group.name as terminal_group_name',
      'qrcode.host',
      'qrcode.use_count',
      'qrcode.used_at',
      'qrcode.sn',
      'qrcode.created_by',
      'qrcode.created_at',
      'qrcode.revoked_at',
    ])
    .where('qrcode.is_permanent', '=', true)
    .$if(reach !== undefined, (q) => q.where('qrcode.terminal_group_kid', '=', sql<string>`any(${reach}::uuid[])`))

async function rowOf(viewer: Viewer, kid: string) {
  const row = await permanent(viewer).where('qrcode.kid', '=', kid).executeTakeFirst()
  return row ?? refuse('not_found')
}

/** The code with its text, as often as it is asked for. A revoked one is not shown again. */
export async function showPermanent(viewer: Viewer, kid: string) {
  const row = await rowOf(viewer, kid)
  const { base, token } = await openPermanent(viewer, kid)
  return { ...row, token_url: qrContent(base, token) }
}

/** What a live code says. */
export async function openPermanent(viewer: Viewer, kid: string): Promise<{ base: string; token: string }> {
  const { deps, scope } = viewer
  const { host } = await rowOf(viewer, kid)
  const live = await scope.selectFrom('qrcode').select('token_sealed').where('kid', '=', kid).executeTakeFirst()
  if (!live?.token_sealed) return refuse('qrcode_invalid')
  return { base: host ?? publicUrl(deps), token: await unseal(deps, live.token_sealed) }
}

/** Ends a code for good: its token is forgotten here too. Devices that came by it stay. */
export async function revokePermanent(viewer: Viewer, kid: string) {
  await rowOf(viewer, kid)
  const { numUpdatedRows } = await viewer.scope
    .updateTable('qrcode')
    .set({ revoked_at: viewer.deps.clock.now(), token_sealed: null })
    .where('kid', '=', kid)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  if (Number(numUpdatedRows) === 0) refuse('qrcode_invalid')
  return rowOf(viewer, kid)
}
