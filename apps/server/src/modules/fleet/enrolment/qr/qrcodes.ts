import { constants } from '@mdm/contract'
import type { Contract, In } from '@mdm/contract'
import type { Tables } from '../../../../db/schema/tables.ts'
import { refuse } from '../../../../refusal.ts'
import { digest, newKid, newSecret } from '../../../../lib/ids.ts'
import { target } from '../../terminal-group/index.ts'
import type { Actor } from '../../../../actor.ts'
import { givenAddress, publicUrl, qrContent } from '../../../../addresses.ts'
import { whyFull } from '../quota.ts'

type Calls = Contract['terminal']['calls']

const life_ms = constants.qrcode_minutes * 60_000

/**
 * A one-time code that registers whoever shows it first, for 10 minutes. The token is in `content` and, hashed, in
 * the row; nobody can read it again. A code that is renewed keeps its kid and loses its old token.
 */
export async function createQrcode(actor: Actor, input: In<Calls['qrcode_registered_cache']>) {
  const { deps, scope, account_kid, visible_groups, user } = actor
  const base = givenAddress(input.host) ?? publicUrl(deps)
  const terminal_group_kid = await target(scope, account_kid, visible_groups, input.terminal_group_kid)
  const full = await whyFull(deps, account_kid)
  // Whose limit it is does not matter to who asks for a code.
  if (full) refuse(full === 'registered_devices_exceed_limit' ? 'account_device_limit' : full)
  const token = newSecret()
  const expires_at = new Date(deps.clock.now().getTime() + life_ms)
  const fresh = { token_hash: digest(token), terminal_group_kid, created_by_kid: user.kid, expires_at }
  const { kid } =
    (await renewed(actor, input.qrcode_kid, fresh)) ??
    (await scope
      .insertInto('qrcode')
      .values({ kid: newKid(), account_kid, ...fresh })
      .returning('kid')
      .executeTakeFirstOrThrow())
  return { qrcode_kid: kid, content: qrContent(base, token), expires_at }
}

type Fresh = Pick<Tables['qrcode'], 'token_hash' | 'terminal_group_kid' | 'created_by_kid'> & { expires_at: Date }

/** The named code with its new token; undefined when none was named or it has been used meanwhile. */
async function renewed(actor: Actor, kid: string | undefined, fresh: Fresh) {
  if (kid === undefined) return undefined
  const found = await visible(actor, kid)
  if (found.used_at) return undefined
  return actor.scope
    .updateTable('qrcode')
    .set(fresh)
    .where('kid', '=', kid)
    .where('used_at', 'is', null)
    .returning('kid')
    .executeTakeFirst()
}

async function visible({ scope, visible_groups }: Actor, kid: string) {
  const found = await scope
    .selectFrom('qrcode')
    .selectAll()
    .where('kid', '=', kid)
    .where('is_permanent', '=', false)
    .executeTakeFirst()
  if (!found) return refuse('not_found')
  if (visible_groups && (found.terminal_group_kid === null || !visible_groups.includes(found.terminal_group_kid)))
    refuse('not_found')
  return found
}

export async function scanResult(actor: Actor, qrcode_kid: string) {
  const { used_at, expires_at, terminal_kid, sn } = await visible(actor, qrcode_kid)
  if (used_at) return { state: 'registered' as const, terminal_kid, sn }
  const state = expires_at! <= actor.deps.clock.now() ? ('expired' as const) : ('waiting' as const)
  return { state, terminal_kid: null, sn: null }
}
