import type { Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import { readPage } from '../../../../db/paging.ts'
import { refuse } from '../../../../refusal.ts'
import { digest, newKid, newSecret } from '../../../../lib/ids.ts'
import { seal, unseal } from '../../../../lib/sealed.ts'
import { target } from '../../terminal-group/index.ts'
import type { Actor } from '../../../../actor.ts'
import { givenAddress, publicUrl, qrContent } from '../../../../addresses.ts'

type Calls = Contract['terminalQrcode']['calls']

type Wanted = Pick<In<Calls['qrcode_forever_registered']>, 'host' | 'terminal_group_kid'> & { needs_approval?: boolean }

/** A token that is in no row yet, for whoever must know it before the code is made. */
export type Draft = { token: string; host: string | null; terminal_group_kid: string | null; needs_approval: boolean }

export async function draftPermanent({ scope, account_kid, visible_groups }: Actor, input: Wanted): Promise<Draft> {
  const host = givenAddress(input.host) ?? null
  return {
    token: newSecret(),
    host,
    terminal_group_kid: await target(scope, account_kid, visible_groups, input.terminal_group_kid),
    needs_approval: input.needs_approval ?? false,
  }
}

export async function insertPermanent({ deps, scope, account_kid, user }: Actor, draft: Draft): Promise<string> {
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
export async function createPermanent(actor: Actor, input: Wanted) {
  const kid = await insertPermanent(actor, await draftPermanent(actor, input))
  return showPermanent(actor, kid)
}

export const pagingPermanent = (actor: Actor, input: In<Calls['paging']>) =>
  readPage({
    query: permanent(actor)
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
const permanent = ({ scope, visible_groups }: Actor) =>
  scope
    .selectFrom('qrcode')
    .leftJoin('terminal_group', 'terminal_group.kid', 'qrcode.terminal_group_kid')
    .select([
      'qrcode.kid',
      'qrcode.terminal_group_kid',
      'terminal_group.name as terminal_group_name',
      'qrcode.host',
      'qrcode.needs_approval',
      'qrcode.use_count',
      'qrcode.used_at',
      'qrcode.sn',
      'qrcode.created_by',
      'qrcode.created_at',
      'qrcode.revoked_at',
    ])
    .where('qrcode.is_permanent', '=', true)
    .$if(visible_groups !== undefined, (q) =>
      q.where('qrcode.terminal_group_kid', '=', sql<string>`any(${visible_groups}::uuid[])`),
    )

async function rowOf(actor: Actor, kid: string) {
  const row = await permanent(actor).where('qrcode.kid', '=', kid).executeTakeFirst()
  return row ?? refuse('not_found')
}

/** The code with its text, as often as it is asked for. A revoked one is not shown again. */
export async function showPermanent(actor: Actor, kid: string) {
  const row = await rowOf(actor, kid)
  const { base, token } = await openPermanent(actor, kid)
  return { ...row, token_url: qrContent(base, token) }
}

/** What a live code says. */
export async function openPermanent(
  actor: Actor,
  kid: string,
): Promise<{ base: string; token: string; needs_approval: boolean }> {
  const { deps, scope } = actor
  const { host, needs_approval } = await rowOf(actor, kid)
  const live = await scope.selectFrom('qrcode').select('token_sealed').where('kid', '=', kid).executeTakeFirst()
  if (!live?.token_sealed) return refuse('qrcode_invalid')
  return { base: host ?? publicUrl(deps), token: await unseal(deps, live.token_sealed), needs_approval }
}

/** Ends a code for good: its token is forgotten here too. Devices that came by it stay. */
export async function revokePermanent(actor: Actor, kid: string) {
  await rowOf(actor, kid)
  const { numUpdatedRows } = await actor.scope
    .updateTable('qrcode')
    .set({ revoked_at: actor.deps.clock.now(), token_sealed: null })
    .where('kid', '=', kid)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  if (Number(numUpdatedRows) === 0) refuse('qrcode_invalid')
  return rowOf(actor, kid)
}
