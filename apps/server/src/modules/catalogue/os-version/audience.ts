import { isOsOut, osAudienceGrows, osShareExceeds, osShareOf } from '@mdm/contract'
import type { Contract, In, OsRecipients } from '@mdm/contract'
import { sql } from 'kysely'
import { records } from '../../../db/records.ts'
import type { Actor } from '../../../actor.ts'
import { refuse } from '../../../refusal.ts'
import { note } from './locked-version.ts'
import type { Db, VersionRow } from './locked-version.ts'

type Calls = Contract['opsOsVersion']['calls']
export type Recipients = Omit<In<Calls['save_audience']>, 'kid'>

/** Writes it, and marks the pushes of those who may not have it any more. Says whether there is somebody who could not before. */
export async function setAudience(
  trx: Db,
  who: Actor,
  row: VersionRow,
  { mode, is_for_all, accounts, cancels_tasks }: Recipients,
): Promise<{ grows: boolean }> {
  const { kid } = row
  // Out for good is not taken back but by going offline.
  if (row.state === 'launched' && mode === 'pre_released') refuse('os_state_wrong')
  const { type } = await trx
    .selectFrom('os_uid')
    .select('type')
    .where('kid', '=', row.uid_kid)
    .executeTakeFirstOrThrow()
  const has_groups = accounts.some(({ terminal_group_kids }) => terminal_group_kids !== null)
  const may_be_for_all = type === 'standard' && mode === 'launched'
  if (is_for_all ? !may_be_for_all || accounts.length > 0 : accounts.length === 0) refuse('os_audience_wrong')
  if (has_groups && mode !== 'pre_released') refuse('os_audience_wrong')
  await assertThere(trx, accounts)
  const before = {
    is_for_all: row.is_for_all,
    accounts: await trx
      .deleteFrom('os_version_account')
      .where('os_version_kid', '=', kid)
      .returning(['account_kid', 'terminal_group_kids'])
      .execute(),
  }
  if (accounts.length > 0)
    await trx
      .insertInto('os_version_account')
      .values(accounts.map((one) => ({ os_version_kid: kid, ...one })))
      .execute()
  const after = { is_for_all, accounts }
  const losing = isOsOut(row.state) && cancels_tasks ? await losingOf(trx, kid, before, after) : []
  const cancel = losing.length > 0 && {
    is_cancelling: true,
    // Where all of them are being canceled already, these are too.
    cancel_account_kids:
      row.is_cancelling && row.cancel_account_kids === null
        ? null
        : [...new Set([...(row.cancel_account_kids ?? []), ...losing])],
  }
  await trx
    .updateTable('os_version')
    .set({ mode, is_for_all, ...cancel })
    .where('kid', '=', kid)
    .execute()
  await note(trx, who, kid, 'audience_set', is_for_all ? '*' : String(accounts.length))
  if (losing.length > 0) await note(trx, who, kid, 'pushes_canceling')
  return { grows: osAudienceGrows(before, after) }
}

/** Accounts with a push of it that is not over, which may have less of it afterwards. */
async function losingOf(trx: Db, kid: string, before: OsRecipients, after: OsRecipients): Promise<string[]> {
  const { rows } = await sql<{ kid: string; parent_kid: string | null }>`
    SELECT DISTINCT a.kid, a.parent_kid FROM push_task k JOIN account a ON a.kid = k.account_kid
    WHERE k.type = 'os' AND k.payload ->> 'os_version_kid' = ${kid} AND k.ended_at IS NULL
      AND k.phase NOT IN ('canceled', 'rejected')
  `.execute(trx)
  return rows
    .filter((account) => osShareExceeds(osShareOf(before, account), osShareOf(after, account)))
    .map((account) => account.kid)
}

async function assertThere(trx: Db, accounts: Recipients['accounts']): Promise<void> {
  const kids = accounts.map(({ account_kid }) => account_kid)
  if (new Set(kids).size !== kids.length) refuse('os_account_unknown')
  if (kids.length === 0) return
  const there = await trx
    .selectFrom('account')
    .select('kid')
    .where('kid', 'in', kids)
    .where('type', 'in', [1, 2])
    .forShare()
    .execute()
  if (there.length !== kids.length) refuse('os_account_unknown')
  const groups = accounts.flatMap(({ account_kid, terminal_group_kids }) =>
    [...new Set(terminal_group_kids ?? [])].map((kid) => ({ kid, account_kid })),
  )
  const { rows } = await sql<{ kid: string }>`
    SELECT g.kid FROM terminal_group g
    JOIN ${records(groups).as('r(kid uuid, account_kid uuid)')}
      ON g.kid = r.kid AND g.account_kid = r.account_kid
  `.execute(trx)
  if (rows.length !== groups.length) refuse('os_account_unknown')
}
