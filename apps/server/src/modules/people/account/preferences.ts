import type { Actor } from '../../../actor.ts'
import { refuse } from '../../../refusal.ts'
import { bytesText } from '../../../lib/bytes.ts'

const maxBytes = 32 * 1024
const maxKeys = 200

/** What the console has remembered for a person: columns, views, open panels. */
export const preferences = ({ deps: { db }, user }: Actor) =>
  db.selectFrom('user_preference').select(['key', 'value']).where('user_kid', '=', user.kid).orderBy('key').execute()

/** Remembers one value; null forgets it. Refused as `too_large` when it is, or when there are too many. */
export async function savePreference({ deps, user }: Actor, key: string, value: unknown) {
  const { db, clock } = deps
  const user_kid = user.kid
  if (value === null) {
    await db.deleteFrom('user_preference').where('user_kid', '=', user_kid).where('key', '=', key).execute()
    return
  }
  const text = storable(JSON.stringify(value))
  if (Buffer.byteLength(text) > maxBytes) refuse('too_large', { max: bytesText(maxBytes) })
  await db.transaction().execute(async (trx) => {
    // One at a time for each person, or they could count past each other.
    await trx.selectFrom('user_account').select('kid').where('kid', '=', user_kid).forUpdate().execute()
    const { others } = await trx
      .selectFrom('user_preference')
      .select((eb) => eb.fn.countAll<number>().as('others'))
      .where('user_kid', '=', user_kid)
      .where('key', '!=', key)
      .executeTakeFirstOrThrow()
    if (Number(others) >= maxKeys) refuse('too_large', { max: maxKeys })
    const updated_at = clock.now()
    await trx
      .insertInto('user_preference')
      .values({ user_kid, key, value: text, updated_at })
      .onConflict((oc) => oc.columns(['user_kid', 'key']).doUpdateSet({ value: text, updated_at }))
      .execute()
  })
}

/** Half of a surrogate pair, which JSON writes as an escape, fits into no jsonb. */
const storable = (json: string): string =>
  json.replace(/\\(?:\\|(ud[89a-f][0-9a-f]{2}))/g, (escape, half?: string) => (half ? '\uFFFD' : escape))

type OfAccount = {
  language?: 'en' | 'vi' | 'zh-cn' | undefined
  zone_id?: string | undefined
  map_type?: '1' | '2' | undefined
}
/** Saves what is given of language, zone and map, and leaves the rest. */
export async function savePreferences({ deps, user }: Actor, preferences: OfAccount): Promise<void> {
  const given = Object.fromEntries(Object.entries(preferences).filter(([, value]) => value !== undefined))
  if (Object.keys(given).length === 0) return
  await deps.db.updateTable('user_account').set(given).where('kid', '=', user.kid).execute()
}
