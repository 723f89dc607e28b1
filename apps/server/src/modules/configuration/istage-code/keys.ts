import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type { StagingKeys } from '@mdm/device-link'
import type { Kysely } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { newKid } from '../../../lib/ids.ts'
import { seal, unseal } from '../../../lib/sealed.ts'

export type StagingKey = { private_key: KeyObject; public_key: Buffer; secret: Buffer }

/** SPKI of Ed25519 is this long before the key itself. */
const spki_head_bytes = 12
const rawPublic = (key: KeyObject): Buffer => key.export({ format: 'der', type: 'spki' }).subarray(spki_head_bytes)

/** Names a key in what it has signed. */
export const keyId = (public_key: Buffer): Buffer => createHash('sha256').update(public_key).digest().subarray(0, 8)

const find = (scope: Kysely<Tables>) =>
  scope.selectFrom('staging_key').select(['private_key_sealed', 'secret_sealed']).executeTakeFirst()

/** By what an account signs its codes and closes secret fields; made when it is first needed. Two that make one keep the same. */
export async function stagingKey(deps: Deps, account_kid: string): Promise<StagingKey> {
  const scope = deps.scope(account_kid)
  let row = await find(scope)
  if (!row) {
    const pem = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
    await scope
      .insertInto('staging_key')
      .values({
        kid: newKid(),
        account_kid,
        private_key_sealed: await seal(deps, pem),
        secret_sealed: await seal(deps, randomBytes(32).toString('base64')),
        created_at: deps.clock.now(),
      })
      .onConflict((conflict) => conflict.column('account_kid').doNothing())
      .execute()
    row = (await find(scope))!
  }
  const private_key = createPrivateKey(await unseal(deps, row.private_key_sealed))
  return {
    private_key,
    public_key: rawPublic(createPublicKey(private_key)),
    secret: Buffer.from(await unseal(deps, row.secret_sealed), 'base64'),
  }
}

/** What a device of the account is given. */
export async function keysForDevice(deps: Deps, account_kid: string): Promise<StagingKeys> {
  const { public_key, secret } = await stagingKey(deps, account_kid)
  const key = { public_key: public_key.toString('base64'), secret: secret.toString('base64') }
  return { account: account_kid, time: deps.clock.now().toISOString(), keys: [key] }
}
