import type { Contract, In, Out } from '@mdm/contract'
import { sql } from 'kysely'
import { wholeAccount } from '../../../actor.ts'
import type { Actor } from '../../../actor.ts'
import { Refusal, refuse } from '../../../refusal.ts'
import { requiredAnew, requiredApps } from '../app-requirement/index.ts'
import { cancel, openStates } from '../../push/push-task/index.ts'
import { change, changed, ownApp } from './library.ts'
import type { Db } from './library.ts'
import { wake } from '../../../lib/background.ts'

type Calls = Contract['appCenter']['calls']

/** Only a delisted app can be listed, and only a listed one delisted (specification, 4). */
export async function enlist(actor: Actor, kid: string): Promise<{ name: string }> {
  const app = await change(actor, async (trx) => {
    const row = await ownApp(trx, actor, kid)
    if (row.state === 'listed') return refuse('app_listed_already')
    if (row.offered_version_kid === null) return refuse('app_without_version')
    await setState(trx, actor, kid, 'listed')
    await requiredAnew(trx, kid, actor.deps.clock.now())
    return row
  })
  changed(actor)
  wake(actor.deps, requiredApps)
  return app
}

const setState = (trx: Db, { deps }: Actor, kid: string, state: 'listed' | 'delisted') =>
  trx.updateTable('app').set({ state, updated_at: deps.clock.now() }).where('kid', '=', kid).execute()

/**
 * Devices get a delisted app no more. What is on its way is asked about: it is canceled, in whichever account, or goes on.
 * @throws `app_delist_choice` while nothing was said and a push has not ended
 */
export async function delist(
  actor: Actor,
  kid: string,
  tasks: In<Calls['delist']>['tasks'],
): Promise<{ name: string; canceled: number }> {
  const { state } = await change(actor, (trx) => ownApp(trx, actor, kid))
  if (state === 'delisted') return refuse('app_delisted_already')
  // Before it is delisted too: if this server is killed meanwhile, the person finds it listed and does it again.
  const before = tasks === 'cancel' ? await cancelOpen(actor, kid) : 0
  const app = await change(actor, async (trx) => {
    const row = await ownApp(trx, actor, kid)
    if (row.state === 'delisted') return refuse('app_delisted_already')
    if (tasks === undefined && (await openTasks(trx, kid)).length > 0) return refuse('app_delist_choice')
    await setState(trx, actor, kid, 'delisted')
    return row
  })
  // What was pushed in between.
  const after = tasks === 'cancel' ? await cancelOpen(actor, kid) : 0
  changed(actor)
  return { name: app.name, canceled: before + after }
}

/** Pushes of an app that have not ended, and that nobody has canceled: of all accounts that have it. */
async function openTasks(db: Db, app_kid: string): Promise<{ kid: string; account_kid: string }[]> {
  const { rows } = await sql<{ kid: string; account_kid: string }>`
    SELECT k.kid, k.account_kid FROM push_task_app p JOIN push_task k ON k.kid = p.push_task_kid
    WHERE p.app_kid = ${app_kid} AND k.ended_at IS NULL AND k.phase <> 'canceled' ORDER BY k.kid
  `.execute(db)
  return rows
}

/** How many could be canceled. What a device is at ends as the device says. */
async function cancelOpen(actor: Actor, kid: string): Promise<number> {
  let canceled = 0
  for (const task of await openTasks(actor.deps.db, kid)) {
    const other = wholeAccount(actor, task.account_kid)
    // People of other accounts are not named to this one's.
    const by = task.account_kid === actor.account_kid ? other : { ...other, user: { ...other.user, name: '' } }
    const done = await cancel(by, { push_task_kid: task.kid }).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error
    })
    if (done) canceled += 1
  }
  return canceled
}

/** Of an app of the account's own. Who is limited to groups is told of the devices there, and of the pushes that have some. */
export async function countOpenTasks(actor: Actor, kid: string): Promise<Out<Calls['open_tasks']>> {
  const { deps, scope, visible_groups } = actor
  const own = await scope.selectFrom('app').select('kid').where('kid', '=', kid).executeTakeFirst()
  if (!own) return refuse('not_found')
  const devices = visible_groups
    ? sql`SELECT count(*) FILTER (WHERE d.state = ANY(${openStates})) AS n
        FROM push_task_terminal d JOIN terminal t ON t.kid = d.terminal_kid
        WHERE d.push_task_kid = k.kid AND t.terminal_group_kid = ANY(${[...visible_groups]}::uuid[]) HAVING count(*) > 0`
    : sql`SELECT GREATEST(k.target_count, k.total) - k.completed - k.failed - k.canceled AS n`
  const { rows } = await sql<Out<Calls['open_tasks']>>`
    SELECT count(*)::integer AS tasks, count(DISTINCT k.account_kid)::integer AS customers,
      COALESCE(sum(devices.n), 0)::integer AS devices
    FROM push_task_app p JOIN push_task k ON k.kid = p.push_task_kid JOIN LATERAL (${devices}) devices ON true
    WHERE p.app_kid = ${kid} AND k.ended_at IS NULL AND k.phase <> 'canceled'
  `.execute(deps.db)
  return rows[0]!
}
