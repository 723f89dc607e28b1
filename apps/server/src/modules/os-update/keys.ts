import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import type { OsUpdate } from '@mdm/device-link'
import type { Kysely, Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Tables } from '../../db/schema/tables.ts'
import type { Actor } from '../../actor.ts'
import type { Deps } from '../../deps.ts'
import { newKid } from '../../lib/ids.ts'
import { seal, unseal } from '../../lib/sealed.ts'

type Db = Kysely<Tables>
type Who = Pick<Actor, 'deps' | 'user'>
type Key = Selectable<Tables['os_key']>

/** A new pair, as a row without its place. */
async function newKey(deps: Deps, created_by: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  return {
    kid: newKid(),
    public_key: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    private_key_sealed: await seal(deps, privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()),
    is_active: true,
    created_by,
    created_at: deps.clock.now(),
  }
}

/** The key that signs now; the first is made when it is first needed. Two servers that make one keep the same. */
export async function activeKey(deps: Deps, created_by: string): Promise<Key> {
  const find = () => deps.db.selectFrom('os_key').selectAll().where('is_active', '=', true).executeTakeFirst()
  const found = await find()
  if (found) return found
  const first = await newKey(deps, created_by)
  await deps.db
    .insertInto('os_key')
    .values({ ...first, statement: null, signature: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await find())!
}

/** Who signs now. Its key is read before, so that it can sign within a transaction. */
export async function signer(deps: Deps, created_by: string) {
  const { kid, private_key_sealed } = await activeKey(deps, created_by)
  const key = createPrivateKey(await unseal(deps, private_key_sealed))
  return { kid, sign: (text: string): string => sign(null, Buffer.from(text, 'utf8'), key).toString('base64') }
}

/** Devices learn of a new key from the one that they believe. */
export async function rotate(who: Who, is_old_revoked: boolean): Promise<string> {
  const { deps, user } = who
  const old = await activeKey(deps, user.name)
  const next = await newKey(deps, user.name)
  const statement = JSON.stringify({
    format: 'mdm-os-key-1',
    old_key: old.public_key,
    new_key: next.public_key,
    is_old_revoked,
  })
  const signWith = async (key: Pick<Key, 'private_key_sealed'>) => {
    const own = createPrivateKey(await unseal(deps, key.private_key_sealed))
    return (text: string) => sign(null, Buffer.from(text, 'utf8'), own).toString('base64')
  }
  const signature = (await signWith(old))(statement)
  const signAnew = await signWith(next)
  await deps.db.transaction().execute(async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('os_key')
      .set({ is_active: false, is_revoked: is_old_revoked })
      .where('kid', '=', old.kid)
      .where('is_active', '=', true)
      .executeTakeFirstOrThrow()
    // Somebody else has just changed it: theirs is the new one.
    if (numUpdatedRows === 0n) return
    await trx
      .insertInto('os_key')
      .values({ ...next, statement, signature })
      .execute()
    await resign(trx, next.kid, signAnew)
  })
  return next.kid
}

/** What is out is signed by the new key: devices that have heard of it may not believe the old one any more. */
async function resign(trx: Db, key_kid: string, signAnew: (text: string) => string): Promise<void> {
  const rows = await trx
    .selectFrom('os_version')
    .select(['kid', 'manifest'])
    .where('manifest', 'is not', null)
    .execute()
  for (const { kid, manifest } of rows)
    await trx
      .updateTable('os_version')
      .set({ key_kid, signature: signAnew(manifest!) })
      .where('kid', '=', kid)
      .execute()
}

/** Of each change of the key, oldest first. */
export const keyChanges = async ({ db }: Pick<Deps, 'db'>): Promise<OsUpdate['key_changes']> => {
  const rows = await db
    .selectFrom('os_key')
    .select(['statement', 'signature'])
    .where('statement', 'is not', null)
    .orderBy('created_at')
    .orderBy('kid')
    .execute()
  return rows.map(({ statement, signature }) => ({ statement: statement!, signature: signature! }))
}

/** What a device that holds no key yet is told to believe: the key of today. */
export async function believedKeys(deps: Deps): Promise<string[]> {
  const { public_key } = await activeKey(deps, '')
  return [public_key]
}

export const listKeys = async ({ deps }: Who) => {
  const rows = await deps.db
    .selectFrom('os_key')
    .select(['kid', 'public_key', 'is_active', 'is_revoked', 'created_by', 'created_at'])
    .orderBy(sql`created_at`, 'desc')
    .orderBy('kid', 'desc')
    .execute()
  return rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() }))
}
