import { assertWhole } from '../../actor.ts'
import type { Actor } from '../../actor.ts'

/** From how many devices on pushes of the account ask for a second person; null: never. */
export async function getSetting({ scope, account_kid }: Actor): Promise<{ approval_from: number | null }> {
  const row = await scope
    .selectFrom('account')
    .select('push_approval_from')
    .where('kid', '=', account_kid)
    .executeTakeFirstOrThrow()
  return { approval_from: row.push_approval_from }
}

export async function saveSetting(
  { scope, account_kid, reach }: Actor,
  { approval_from }: { approval_from: number | null },
): Promise<void> {
  assertWhole({ reach })
  await scope.updateTable('account').set({ push_approval_from: approval_from }).where('kid', '=', account_kid).execute()
}
