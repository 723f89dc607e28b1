import type { RemoteSettings } from '@mdm/contract'
import type { Kysely } from 'kysely'
import type { Actor } from '../../../actor.ts'
import type { Tables } from '../../../db/schema/tables.ts'

const gib = 1024 ** 3
/** Of an account that has set nothing: whoever is at the device is asked, and nobody opens a shell. */
export const defaults: RemoteSettings = {
  consent: 'ask',
  clipboard: true,
  terminal: false,
  record_desktop: false,
  recording_days: 30,
  recording_bytes: 5 * gib,
}
const columns = ['consent', 'clipboard', 'terminal', 'record_desktop', 'recording_days', 'recording_bytes'] as const

export const settingsOf = async (scope: Kysely<Tables>): Promise<RemoteSettings> =>
  (await scope.selectFrom('remote_settings').select(columns).executeTakeFirst()) ?? defaults

export async function updateSettings({ scope, account_kid }: Actor, settings: RemoteSettings): Promise<RemoteSettings> {
  await scope
    .insertInto('remote_settings')
    .values({ account_kid, ...settings })
    .onConflict((row) => row.column('account_kid').doUpdateSet(settings))
    .execute()
  return settings
}
