import type { Deps } from '../../../deps.ts'
import { seal, unseal } from '../../../lib/sealed.ts'
import { newSigningKey, readSigningKey } from './code.ts'
import type { SigningKey } from './code.ts'

const key = 'activation_key'

/** What this server signs activations with: made when it is first needed, sealed in the database that its servers share. */
export async function signingKey(deps: Pick<Deps, 'config' | 'db' | 'memory'>): Promise<SigningKey> {
  const found = await keptKey(deps)
  if (found) return found
  const sealed = await seal(deps, newSigningKey())
  await deps.db
    .insertInto('setting')
    .values({ key, value: JSON.stringify({ sealed }) })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute()
  return (await keptKey(deps))!
}

async function keptKey(deps: Pick<Deps, 'config' | 'db' | 'memory'>): Promise<SigningKey | undefined> {
  const row = await deps.db.selectFrom('setting').select('value').where('key', '=', key).executeTakeFirst()
  return row && readSigningKey(await unseal(deps, String(row.value['sealed'])))
}
