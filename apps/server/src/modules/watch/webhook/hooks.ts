import { constants } from '@mdm/contract'
import type { Contract, In, Language, WebhookEvent } from '@mdm/contract'
import { sql } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { assertRoom } from '../../../db/at-most.ts'
import { violation } from '../../../db/violations.ts'
import type { Deps } from '../../../deps.ts'
import { refuse } from '../../../refusal.ts'
import { newKid } from '../../../lib/ids.ts'
import { seal } from '../../../lib/sealed.ts'
import { AddressRefused, checkedAddress, reasons } from '../../../lib/address.ts'
import { newWebhookSecret } from './signature.ts'

type Calls = Contract['webhook']['calls']
/** Told of a device that is silent for as long as the webhook says, and of its return. */
export const silenceEvents = ['device.offline', 'device.online'] as const satisfies WebhookEvent[]
type Made = { kid: string; secret: string }

export const list = ({ scope }: Actor) =>
  scope
    .selectFrom('webhook as w')
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom('webhook_delivery as d')
          .select(['d.created_at', 'd.state'])
          .whereRef('d.webhook_kid', '=', 'w.kid')
          .orderBy('d.created_at', 'desc')
          .limit(1)
          .as('last'),
      (join) => join.onTrue(),
    )
    .select(['w.kid', 'w.name', 'w.url', 'w.events', 'w.is_enabled', 'w.created_at', 'w.updated_at'])
    .select(['w.failing_since', 'w.left_out', 'w.left_out_at', 'w.offline_minutes'])
    .select(['last.created_at as last_delivery_at', 'last.state as last_state'])
    .orderBy(sql`lower(w.name)`)
    .execute()

/** The secret is answered here and never again. The language is that of a refusal that explains itself. */
export async function add(actor: Actor, draft: In<Calls['insert']>, language: Language): Promise<Made> {
  const { deps, scope, account_kid } = actor
  await assertAddress(deps, draft.url, language)
  const secret = newWebhookSecret()
  const now = deps.clock.now()
  const row = {
    ...distinct(draft),
    kid: newKid(),
    account_kid,
    secret: await seal(deps, secret),
    silences_from: now,
    created_at: now,
    updated_at: now,
  }
  await unlessTaken(() =>
    scope.transaction().execute(async (trx) => {
      await assertRoom(trx, account_kid, 'webhook', ['webhook_limit', constants.webhooks_max])
      await trx.insertInto('webhook').values(row).execute()
    }),
  )
  return { kid: row.kid, secret }
}

export async function change(actor: Actor, { kid, ...draft }: In<Calls['update']>, language: Language): Promise<void> {
  const { deps, scope } = actor
  await find(actor, kid)
  await assertAddress(deps, draft.url, language)
  const { numUpdatedRows } = await unlessTaken(() =>
    scope
      .updateTable('webhook')
      .set({
        ...distinct(draft),
        updated_at: deps.clock.now(),
        // Another receiver, or one that is given another chance, has not failed yet.
        failing_since: sql<Date | null>`CASE WHEN url = ${draft.url} AND is_enabled THEN failing_since END`,
        left_out: 0,
        left_out_at: null,
        // What was silent before it listened is no news.
        silences_from: sql<Date>`CASE WHEN is_enabled AND events && ${[...silenceEvents]}::text[]
          THEN silences_from ELSE ${deps.clock.now()}::timestamptz END`,
      })
      .where('kid', '=', kid)
      .executeTakeFirst(),
  )
  if (numUpdatedRows === 0n) refuse('not_found')
}

export async function renewSecret({ deps, scope }: Actor, kid: string): Promise<{ name: string; secret: string }> {
  const secret = newWebhookSecret()
  const row = await scope
    .updateTable('webhook')
    .set({ secret: await seal(deps, secret), updated_at: deps.clock.now() })
    .where('kid', '=', kid)
    .returning('name')
    .executeTakeFirst()
  return { ...(row ?? refuse('not_found')), secret }
}

export const remove = async ({ scope }: Actor, kid: string) =>
  (await scope.deleteFrom('webhook').where('kid', '=', kid).returning('name').executeTakeFirst()) ?? refuse('not_found')

export const find = async ({ scope }: Actor, kid: string) =>
  (await scope.selectFrom('webhook').select(['kid', 'name', 'url']).where('kid', '=', kid).executeTakeFirst()) ??
  refuse('not_found')

async function assertAddress(deps: Deps, url: string, language: Language): Promise<void> {
  try {
    await checkedAddress(deps.config.webhook_allow, url)
  } catch (error) {
    if (!(error instanceof AddressRefused)) throw error
    refuse('webhook_address_refused', { reason: reasons[error.reason][language] })
  }
}

const distinct = <D extends { events: string[] }>(draft: D): D => ({ ...draft, events: [...new Set(draft.events)] })
const unlessTaken = <T>(run: () => Promise<T>): Promise<T> => violation(run, { webhook_name: 'duplicate_name' })
