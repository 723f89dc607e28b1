import { canOsRelease } from '@mdm/contract'
import type { ErrorName, OsEvent, OsReleaseEvent } from '@mdm/contract'
import { osPackagesOf } from '@mdm/device-link'
import type { OsManifest } from '@mdm/device-link'
import { sql } from 'kysely'
import type { Kysely, Selectable } from 'kysely'
import type { Actor } from '../../../actor.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { accountUsable } from '../../../http/session-row.ts'
import { newKid } from '../../../lib/ids.ts'
import { refuse } from '../../../refusal.ts'

export type Db = Kysely<Tables>
export type VersionRow = Selectable<Tables['os_version']>
/** The provider's people; with `built_for`, those of an account and the versions that it had built. */
export type Publisher = Actor & { built_for?: string }

/**
 * "Only the publisher can operate on its own OS" (specification, 6). Once whoever published it cannot sign in any more, anybody
 * who holds the permission may go on with it: nobody else could ever take it offline. What an account had built is operated by that account.
 */
export const isOwn = ({ user, deps, built_for }: Publisher) =>
  built_for === undefined ? isPublisher(user.kid, deps) : sql<boolean>`(os_version.built_for_kid = ${built_for})`

const isPublisher = (
  user_kid: string,
  deps: Deps,
) => sql<boolean>`(os_version.built_for_kid IS NULL AND (os_version.created_by_kid = ${user_kid} OR NOT EXISTS (
  SELECT 1 FROM user_account u JOIN account own ON own.kid = u.account_kid
  WHERE u.kid = os_version.created_by_kid AND u.status <> 'invalid' AND ${accountUsable('own', deps.clock.now())})))`

/** A version that the caller may change, locked. @throws `not_found`, `os_not_own`, `os_state_wrong` where `event` cannot be */
export async function lockOwn(trx: Db, who: Publisher, kid: string, event?: OsReleaseEvent): Promise<VersionRow> {
  const row = await trx
    .selectFrom('os_version')
    .selectAll()
    .select(isOwn(who).as('is_own'))
    .where('kid', '=', kid)
    .forUpdate()
    .executeTakeFirst()
  if (!row) return refuse('not_found')
  if (!row.is_own) return refuse('os_not_own', { name: row.created_by })
  if (event && !canOsRelease(row.state, event)) return refuse('os_state_wrong')
  return row
}

/** What the history says of it. */
export const note = (
  trx: Db,
  { deps, user }: Pick<Actor, 'deps' | 'user'>,
  os_version_kid: string,
  event: OsEvent,
  detail = '',
) =>
  trx
    .insertInto('os_version_event')
    .values({ kid: newKid(), os_version_kid, event, at: deps.clock.now(), by_name: user.name, detail })
    .execute()

export const touch = (trx: Db, deps: Deps, kid: string) =>
  trx.updateTable('os_version').set({ updated_at: deps.clock.now() }).where('kid', '=', kid).execute()

export const tell = ({ deps }: Pick<Actor, 'deps'>, kid: string, is_gone = false): void =>
  deps.live.publish(null, { type: 'os_version', kid, ...(is_gone && { is_gone }) })

/** Whether devices are told of a package: it is in what was signed. */
export const isOffered = ({ manifest }: Pick<VersionRow, 'manifest'>, { sha256 }: { sha256: string | null }): boolean =>
  manifest !== null && osPackagesOf(JSON.parse(manifest) as OsManifest).some((one) => one.sha256 === sha256)

/** As people call it. */
export const titleOf = ({ os_version, ver }: Pick<VersionRow, 'os_version' | 'ver'>): string =>
  `${os_version} (VER ${ver})`

export type Fault = { name: ErrorName; details: Record<string, string | number> }
