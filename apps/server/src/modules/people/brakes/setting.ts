import { constants } from '@mdm/contract'
import type { Contract, Out } from '@mdm/contract'
import type { Selectable } from 'kysely'
import { assertWhole } from '../../../actor.ts'
import type { Actor } from '../../../actor.ts'
import { lockAccount } from '../../../db/lock-account.ts'
import type { Tables } from '../../../db/schema/tables.ts'

const held_ms = constants.approval_held_hours * 3_600_000
const columns = ['push_approval_from', 'push_approval_loosened'] as const
type Setting = Pick<Selectable<Tables['account']>, (typeof columns)[number]>

/** People who loosened the limit less than a day ago; the former one still holds for them. A row that a wrong clock dated far ahead does not count. */
const recentlyLoosened = ({ push_approval_loosened }: Setting, now: Date) =>
  push_approval_loosened.filter(({ at }) => Math.abs(now.getTime() - Date.parse(at)) < held_ms)

const formerLimit = (setting: Setting, { deps, user }: Pick<Actor, 'deps' | 'user'>) =>
  recentlyLoosened(setting, deps.clock.now()).find(
    ({ user_kid, from }) => user_kid === user.kid && from < (setting.push_approval_from ?? Infinity),
  )

/** From how many devices on pushes of this person ask for a second one; null: never. */
export const approvalFrom = (setting: Setting, actor: Pick<Actor, 'deps' | 'user'>): number | null =>
  formerLimit(setting, actor)?.from ?? setting.push_approval_from

export const settingOf = ({ scope, account_kid }: Pick<Actor, 'scope' | 'account_kid'>): Promise<Setting> =>
  scope.selectFrom('account').select(columns).where('kid', '=', account_kid).executeTakeFirstOrThrow()

/** From how many devices on pushes of the account ask for a second person; null: never. */
export async function getSetting(actor: Actor): Promise<Out<Contract['pushTask']['calls']['get_setting']>> {
  const setting = await settingOf(actor)
  const held = formerLimit(setting, actor)
  return {
    approval_from: setting.push_approval_from,
    held: held ? { approval_from: held.from, until: new Date(Date.parse(held.at) + held_ms).toISOString() } : null,
  }
}

/**
 * Whoever loosens it is held to the strictest former limit for a day: otherwise one person could loosen it, push, and set
 * it back. Tightening it again leaves that as it is.
 */
export async function saveSetting(
  { deps, scope, account_kid, visible_groups, user }: Actor,
  { approval_from }: { approval_from: number | null },
): Promise<void> {
  assertWhole({ visible_groups })
  const now = deps.clock.now()
  await scope.transaction().execute(async (trx) => {
    const setting = await lockAccount(trx, account_kid)
    const before = setting.push_approval_from ?? Infinity
    let loosened = recentlyLoosened(setting, now)
    if (before < (approval_from ?? Infinity)) {
      const isOwn = ({ user_kid }: { user_kid: string }) => user_kid === user.kid
      const from = Math.min(before, ...loosened.filter(isOwn).map((own) => own.from))
      loosened = [...loosened.filter((one) => !isOwn(one)), { user_kid: user.kid, from, at: now.toISOString() }]
    }
    await trx
      .updateTable('account')
      .set({ push_approval_from: approval_from, push_approval_loosened: JSON.stringify(loosened) })
      .where('kid', '=', account_kid)
      .execute()
  })
}
