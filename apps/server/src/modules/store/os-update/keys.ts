import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import type { OsUpdate } from '@mdm/device-link'
import type { Kysely, Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Actor } from '../../../actor.ts'
import type { Deps } from '../../../deps.ts'
import { violation } from '../../../db/violations.ts'
import { newKid } from '../../../lib/ids.ts'
import { refuse } from '../../../refusal.ts'
import { seal, unseal } from '../../../lib/sealed.ts'

type Db = Kysely<Tables>
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

const findActive = ({ db }: Pick<Deps, 'db'>): Promise<Key | undefined> =>
  db.selectFrom('os_key').selectAll().where('is_active', '=', true).executeTakeFirst()

/** The key that signs now; the first is made when it is first needed. Two servers that make one keep the same. */
export async function activeKey(deps: Deps, created_by: string): Promise<Key> {
  const find = () => findActive(deps)
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

/** Signs with the key of now. What it signs is stored by `signing`, for another key may be made meanwhile. */
export async function signer(deps: Deps, created_by: string): Promise<Signer> {
  const key = await activeKey(deps, created_by)
  const sign = await signWith(deps, key)
  return {
    kid: key.kid,
    public_key: key.public_key,
    is_offline: sign === undefined,
    sign: (text, signature) => (sign ? sign(text) : signed(key.public_key, text, signature)),
  }
}

/**
 * A transaction in which the key that signs stays the active one until the end: it begins again where another key was made before it
 * held the key. `work` locks what it signs after that, as a rotation does, which then waits for the transaction.
 */
export async function signing<T>(
  deps: Deps,
  created_by: string,
  work: (trx: Db, key: Signer) => Promise<T>,
): Promise<T> {
  for (;;) {
    const key = await signer(deps, created_by)
    const done = await deps.db.transaction().execute(async (trx) => {
      const is_active = await trx
        .selectFrom('os_key')
        .select('kid')
        .where('kid', '=', key.kid)
        .where('is_active', '=', true)
        .forShare()
        .executeTakeFirst()
      return is_active && { said: await work(trx, key) }
    })
    if (done) return done.said
  }
}

export type Signer = {
  kid: string
  public_key: string
  /** The server does not hold it: the signature is somebody else's, and only looked at. */
  is_offline: boolean
  /** @throws `os_signature_needed`, `os_signature_wrong` */
  sign(text: string, signature: string | undefined): string
}

async function signWith(deps: Deps, { private_key_sealed }: Pick<Key, 'private_key_sealed'>) {
  if (private_key_sealed === null) return undefined
  const own = createPrivateKey(await unseal(deps, private_key_sealed))
  return (text: string): string => sign(null, Buffer.from(text, 'utf8'), own).toString('base64')
}

function signed(public_key: string, text: string, signature: string | undefined): string {
  if (signature === undefined) return refuse('os_signature_needed')
  const key = createPublicKey({ key: Buffer.from(public_key, 'base64'), format: 'der', type: 'spki' })
  const bytes = Buffer.from(signature, 'base64')
  if (!verify(null, Buffer.from(text, 'utf8'), key, bytes)) refuse('os_signature_wrong')
  return bytes.toString('base64')
}

const statementOf = (old: Pick<Key, 'public_key'>, new_key: string, is_old_revoked: boolean): string =>
  JSON.stringify({ format: 'mdm-os-key-1', old_key: old.public_key, new_key, is_old_revoked })

/** What a publisher sends, as devices are told it. */
function publicKeyIn(text: string): string {
  try {
    const is_pem = text.startsWith('-----')
    const key = createPublicKey(is_pem ? text : { key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' })
    if (key.asymmetricKeyType === 'ed25519' && !/PRIVATE/.test(text))
      return key.export({ format: 'der', type: 'spki' }).toString('base64')
  } catch {
    // Said below.
  }
  return refuse('os_key_wrong')
}

/** What the active key has to say of its successor. */
export async function keyStatement({ deps }: Actor, { public_key }: { public_key: string }) {
  const next = publicKeyIn(public_key)
  const taken = await deps.db.selectFrom('os_key').select('kid').where('public_key', '=', next).executeTakeFirst()
  if (taken) refuse('os_key_taken')
  const old = await findActive(deps)
  return {
    statement: old ? statementOf(old, next, false) : '',
    is_offline: old !== undefined && old.private_key_sealed === null,
  }
}

/**
 * A key whose private half the server never has signs from now on. The one before stays believed: what is out is signed by it, and only
 * the publisher could sign that anew.
 */
export async function registerKey(who: Actor, input: { public_key: string; signature?: string | undefined }) {
  const { deps, user } = who
  const public_key = publicKeyIn(input.public_key)
  const old = await findActive(deps)
  const statement = old ? statementOf(old, public_key, false) : null
  const signOld = old && (await signWith(deps, old))
  const signature =
    old && statement !== null ? (signOld?.(statement) ?? signed(old.public_key, statement, input.signature)) : null
  const kid = newKid()
  await violation(
    () =>
      deps.db.transaction().execute(async (trx) => {
        if (old) {
          const { numUpdatedRows } = await trx
            .updateTable('os_key')
            .set({ is_active: false })
            .where('kid', '=', old.kid)
            .where('is_active', '=', true)
            .executeTakeFirstOrThrow()
          // Somebody else has just changed it: this statement is no more of the active key.
          if (numUpdatedRows === 0n) refuse('os_signature_wrong')
        }
        await trx
          .insertInto('os_key')
          .values({
            kid,
            public_key,
            private_key_sealed: null,
            statement,
            signature,
            is_active: true,
            created_by: user.name,
            created_at: deps.clock.now(),
          })
          .execute()
      }),
    { os_key_public: 'os_key_taken', os_key_first: 'os_key_taken', os_key_active: 'os_key_taken' },
  )
  return kid
}

/** Devices learn of a new key from the one that they believe. */
export async function rotate(who: Actor, is_old_revoked: boolean): Promise<string> {
  const { deps, user } = who
  const old = await activeKey(deps, user.name)
  const signOld = await signWith(deps, old)
  if (!signOld) return refuse('os_key_offline')
  const next = await newKey(deps, user.name)
  const statement = statementOf(old, next.public_key, is_old_revoked)
  const signature = signOld(statement)
  const signAnew = (await signWith(deps, next))!
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
    .orderBy('kid')
    .forNoKeyUpdate()
    .execute()
  for (const { kid, manifest } of rows)
    await trx
      .updateTable('os_version')
      .set({ key_kid, signature: signAnew(manifest!) })
      .where('kid', '=', kid)
      .execute()
  const lists = await trx
    .selectFrom('api_list')
    .select(['uid_kid', 'manifest'])
    .orderBy('uid_kid')
    .forNoKeyUpdate()
    .execute()
  for (const { uid_kid, manifest } of lists)
    await trx
      .updateTable('api_list')
      .set({ key_kid, signature: signAnew(manifest) })
      .where('uid_kid', '=', uid_kid)
      .execute()
}

/** So many changes of the key are told to a device (`OsUpdate`). One that has slept through more asks for nothing and believes nothing new. */
const changes_max = 50

/** Of the last changes of the key, oldest first. */
export const keyChanges = async ({ db }: Pick<Deps, 'db'>): Promise<OsUpdate['key_changes']> => {
  const rows = await db
    .selectFrom('os_key')
    .select(['statement', 'signature'])
    .where('statement', 'is not', null)
    .orderBy('created_at', 'desc')
    .orderBy('kid', 'desc')
    .limit(changes_max)
    .execute()
  return rows.reverse().map(({ statement, signature }) => ({ statement: statement!, signature: signature! }))
}

/** What a device that holds no key yet is told to believe: the key of today, and those by which what is out is still signed. */
export async function believedKeys(deps: Deps): Promise<string[]> {
  const { kid, public_key } = await activeKey(deps, '')
  const others = await deps.db
    .selectFrom('os_key')
    .select('public_key')
    .where('is_revoked', '=', false)
    .where('kid', '!=', kid)
    .where((eb) =>
      eb.or([
        eb.exists(eb.selectFrom('os_version').select('os_version.kid').whereRef('key_kid', '=', 'os_key.kid')),
        eb.exists(eb.selectFrom('api_list').select('api_list.uid_kid').whereRef('api_list.key_kid', '=', 'os_key.kid')),
      ]),
    )
    .orderBy('created_at')
    .limit(49)
    .execute()
  return [public_key, ...others.map((other) => other.public_key)]
}

export const listKeys = async ({ deps }: Actor) => {
  const rows = await deps.db
    .selectFrom('os_key')
    .select(['kid', 'public_key', 'is_active', 'is_revoked', 'created_by', 'created_at'])
    .select(sql<boolean>`private_key_sealed IS NULL`.as('is_offline'))
    .orderBy(sql`created_at`, 'desc')
    .orderBy('kid', 'desc')
    .execute()
  return rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() }))
}
