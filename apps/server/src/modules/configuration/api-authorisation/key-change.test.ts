import { createPublicKey, verify } from 'node:crypto'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Actor } from '../../../actor.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { testActor } from '../../../testing/actor.ts'
import type { TestDeps } from '../../../testing/deps.ts'
import { addAccount, lockingDatabases, openDeps } from '../../../testing/devices.ts'
import { newKid } from '../../../lib/ids.ts'
import { addUid } from '../../../testing/os-versions.ts'
import { rotate } from '../../store/os-update/index.ts'
import { changeLists } from './lists.ts'

describe.each(lockingDatabases)('a list that is signed while the key changes, on %s', (kind) => {
  let deps: TestDeps
  let ann: Actor
  let uid_kid: string
  beforeEach(async () => {
    deps = await openDeps(kind)
    deps.link = { ...deps.link, wake() {} }
    ann = testActor(deps, await addAccount(deps))
    uid_kid = await addUid(deps, 'UIDKEY00000000000001')
    await changeLists(ann, async () => [uid_kid])
  })
  afterEach(() => deps.close())

  /** Makes the list another one. Answers with the UIDs whose list that is. */
  const addApp = async (trx: Kysely<Tables>) => {
    const now = deps.clock.now()
    const by = { created_by: 'Ann', created_at: now, updated_by: 'Ann', updated_at: now }
    const app = { kid: newKid(), package: 'com.acme.till', cert_sha1: 'ab'.repeat(20), remark: '', methods: ['a.b'] }
    await trx
      .insertInto('api_authorisation')
      .values({ ...app, ...by })
      .execute()
    await trx.insertInto('api_authorisation_uid').values({ api_authorisation_kid: app.kid, uid_kid }).execute()
    return [uid_kid]
  }
  const assertSigned = async (version: number) => {
    const list = await deps.db
      .selectFrom('api_list as l')
      .innerJoin('os_key as k', 'k.kid', 'l.key_kid')
      .select(['l.version', 'l.manifest', 'l.signature', 'k.public_key', 'k.is_active'])
      .executeTakeFirstOrThrow()
    const key = createPublicKey({ key: Buffer.from(list.public_key, 'base64'), format: 'der', type: 'spki' })
    const is_signed = verify(null, Buffer.from(list.manifest), key, Buffer.from(list.signature, 'base64'))
    expect([list.version, list.is_active, is_signed]).toEqual([version, true, true])
  }

  it('is signed by the new one when that was made after the key was read', async () => {
    let is_rotated = false
    const db = new Proxy(deps.db, {
      get(real, name) {
        const found: unknown = Reflect.get(real, name)
        if (typeof found !== 'function') return found
        if (name !== 'transaction' || is_rotated) return found.bind(real)
        return () => ({
          async execute(run: Parameters<ReturnType<Deps['db']['transaction']>['execute']>[0]) {
            is_rotated = true
            await rotate(ann, true)
            return real.transaction().execute(run)
          },
        })
      },
    })
    await changeLists({ ...ann, deps: { ...deps, db } }, async (trx) => addApp(trx))
    expect(is_rotated).toBe(true)
    await assertSigned(2)
  })

  // The embedded database is one session: there a rotation waits for any transaction.
  if (kind === 'postgres')
    it('is signed anew by one that is made before the list is stored', async () => {
      const rotation = { is_over: false, done: Promise.resolve('') }
      const isWaiting = async () => {
        const { rows } = await sql`SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(deps.db)
        return rows.length > 0
      }
      await changeLists(ann, async (trx) => {
        await addApp(trx)
        rotation.done = rotate(ann, true).finally(() => (rotation.is_over = true))
        await expect.poll(async () => rotation.is_over || (await isWaiting())).toBe(true)
        return [uid_kid]
      })
      await rotation.done
      await assertSigned(2)
    })
})
