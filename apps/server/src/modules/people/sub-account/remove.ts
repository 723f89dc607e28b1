import type { Kysely } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { refuse } from '../../../refusal.ts'
import { forgetSessions } from '../../../http/session-cache.ts'
import { lockFamily } from '../customer/index.ts'

type Db = Kysely<Tables>

/**
 * Removes a sub-account that holds nothing any more, with what only it had. Scrapped SNs stay scrapped, under the
 * account above. Refused as `delete_failed` while there is a device, a file, an app, a custom OS or a person besides its own login.
 */
export async function removeAccount(deps: Deps, account: { kid: string; parent_kid: string }): Promise<string> {
  const { kid, parent_kid } = account
  const removed = await deps.db.transaction().execute(async (trx) => {
    const { name, terminal_count } = await lockFamily(trx, account)
    if (terminal_count > 0 || (await hasFilesOrPeople(trx, kid))) refuse('delete_failed')
    await trx.updateTable('scrapped_sn').set({ account_kid: parent_kid }).where('account_kid', '=', kid).execute()
    await trx.updateTable('session').set({ enter_kid: null }).where('enter_kid', '=', kid).execute()
    const uploads = await trx
      .deleteFrom('upload')
      .where('account_kid', '=', kid)
      .returning(['object', 'claimed_at'])
      .execute()
    for (const table of ['push_task', 'qrcode', 'user_account', 'role', 'terminal_group'] as const)
      await trx.deleteFrom(table).where('account_kid', '=', kid).execute()
    await trx.deleteFrom('account').where('kid', '=', kid).execute()
    return { name, uploads }
  })
  forgetSessions(deps)
  // Uploads that nobody kept as a file: their bytes are nobody else's.
  for (const { object, claimed_at } of removed.uploads) if (object && !claimed_at) await deps.objects.delete(object)
  return removed.name
}

async function hasFilesOrPeople(trx: Db, account_kid: string): Promise<boolean> {
  const file = await trx
    .selectFrom('file_cloud')
    .select('kid')
    .where('account_kid', '=', account_kid)
    .executeTakeFirst()
  const app = await trx.selectFrom('app').select('kid').where('account_kid', '=', account_kid).executeTakeFirst()
  const custom = await trx
    .selectFrom('os_custom')
    .select('kid')
    .where('account_kid', '=', account_kid)
    .executeTakeFirst()
  const person = await trx
    .selectFrom('user_account')
    .select('kid')
    .where('account_kid', '=', account_kid)
    .where('type', '=', 3)
    .executeTakeFirst()
  return file !== undefined || app !== undefined || custom !== undefined || person !== undefined
}
