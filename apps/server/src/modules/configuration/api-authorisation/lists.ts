import { createHash } from 'node:crypto'
import { api_limits, ltscopes } from '@mdm/contract'
import type { ApiAuthorisation, ApiManifest } from '@mdm/device-link'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Actor } from '../../../actor.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { refuse } from '../../../refusal.ts'
import { signing } from '../../store/os-update/index.ts'
import type { Signer } from '../../store/os-update/index.ts'
import { isEqual, publishChange, queueDelivery } from '../terminal-config/index.ts'

export type Db = Kysely<Tables>
const anyOf = (kids: readonly string[]) => sql<string>`any(${[...kids]}::uuid[])`
const everybody = { account_kid: null, ltscope: ltscopes.platform, terminal_group_kid: null, terminal_kid: null }

/**
 * Changes which apps may call what, and signs in the same transaction the lists of the UIDs that `change` names, where that makes
 * something else of them. Their devices are told as of any change of their configuration: those that are connected at once, others
 * with their next hello.
 * @throws `os_key_offline`, `api_list_too_large`
 */
export async function changeLists(
  { deps, user }: Actor,
  change: (trx: Db) => Promise<readonly string[]>,
): Promise<void> {
  const signed: string[] = []
  await signing(deps, user.name, async (trx, key) => {
    signed.length = 0
    if (key.is_offline) refuse('os_key_offline')
    const uid_kids = await change(trx)
    // Another change of the same list is waited for, and is then part of it.
    const uids = await trx
      .selectFrom('os_uid')
      .select(['kid', 'code'])
      .where('kid', '=', anyOf(uid_kids))
      .orderBy('kid')
      .forNoKeyUpdate()
      .execute()
    for (const uid of uids) if (await signList(trx, uid, key)) signed.push(uid.kid)
    const queued = { place: everybody, sections: ['api_authorisation'], uid_kids: signed } as const
    if (signed.length > 0) await queueDelivery(trx, queued, deps.clock.now())
  })
  if (signed.length > 0) publishChange(deps, everybody)
}

/** A new version of the list of a UID; false where the present one, by the present key, says the same. */
async function signList(trx: Db, uid: { kid: string; code: string }, key: Signer): Promise<boolean> {
  const apps = await trx
    .selectFrom('api_authorisation as a')
    .innerJoin('api_authorisation_uid as c', 'c.api_authorisation_kid', 'a.kid')
    .select(['a.package', 'a.cert_sha1', 'a.methods'])
    .where('c.uid_kid', '=', uid.kid)
    .orderBy('a.package')
    .orderBy('a.cert_sha1')
    .execute()
  const before = await trx.selectFrom('api_list').selectAll().where('uid_kid', '=', uid.kid).executeTakeFirst()
  if (before?.key_kid === key.kid && isEqual((JSON.parse(before.manifest) as ApiManifest).apps, apps)) return false
  const version = (before?.version ?? 0) + 1
  const manifest = JSON.stringify({ format: 'mdm-api-1', uid: uid.code, version, apps } satisfies ApiManifest)
  const max = api_limits.manifest_bytes
  if (Buffer.byteLength(manifest) > max) refuse('api_list_too_large', { uid: uid.code, max: max / 1024 ** 2 })
  const row = {
    uid_kid: uid.kid,
    version,
    manifest,
    sha256: createHash('sha256').update(manifest).digest('hex'),
    signature: key.sign(manifest, undefined),
    key_kid: key.kid,
  }
  const { uid_kid: _, ...next } = row
  await trx
    .insertInto('api_list')
    .values(row)
    .onConflict((conflict) => conflict.column('uid_kid').doUpdateSet(next))
    .execute()
  return true
}

/** The list that is in force for each of some devices, as their configuration names it. */
export async function apiListsOf(trx: Db, kids: readonly string[]): Promise<Map<string, ApiAuthorisation>> {
  const rows = await trx
    .selectFrom('terminal as t')
    .innerJoin('os_uid as u', (join) => join.on(sql<boolean>`lower(u.code) = lower(btrim(t.uid))`))
    .innerJoin('api_list as l', 'l.uid_kid', 'u.kid')
    .select(['t.kid', 'l.version', 'l.sha256'])
    .where('t.kid', '=', anyOf(kids))
    .execute()
  return new Map(rows.map(({ kid, ...list }) => [kid, list]))
}
