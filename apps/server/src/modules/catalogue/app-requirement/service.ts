import { errorMessage, requirementLimits } from '@mdm/contract'
import type { AppRequirement, Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import { creationAudit } from '../../../actor.ts'
import type { Actor } from '../../../actor.ts'
import { assertRoom } from '../../../db/at-most.ts'
import { violation } from '../../../db/violations.ts'
import type { ActorWith } from '../../../http/context.ts'
import { newKid } from '../../../lib/ids.ts'
import { refuse } from '../../../refusal.ts'
import { appsToPush } from '../../store/app-offer/index.ts'
import { target } from '../../fleet/terminal-group/index.ts'
import { requiredApp, requiredApps } from './requirement-run.ts'
import type { Required } from './requirement-run.ts'
import { wake } from '../../../lib/background.ts'
import { readWindow } from '../../push/execution-window/index.ts'

type Calls = Contract['appRequirement']['calls']

/** A user who is limited to groups sees those of its own. */
const visible = ({ scope, visible_groups, user }: Actor) =>
  scope
    .selectFrom('app_requirement')
    .leftJoin('terminal_group', 'terminal_group.kid', 'app_requirement.terminal_group_kid')
    .selectAll('app_requirement')
    .select('terminal_group.name as group_name')
    .$if(visible_groups !== undefined, (q) => q.where('app_requirement.created_by_kid', '=', user.kid))

export async function list(actor: ActorWith<'request'>, { app_kid }: In<Calls['list']>): Promise<AppRequirement[]> {
  const rows = await visible(actor)
    .$if(app_kid !== undefined, (q) => q.where('app_requirement.app_kid', '=', app_kid!))
    .execute()
  const apps = await appsOf(actor, rows)
  return rows
    .map((row) => shown(row, apps(row), actor))
    .toSorted(
      (a, b) =>
        a.app_name.localeCompare(b.app_name) ||
        (a.group_name ?? '').localeCompare(b.group_name ?? '') ||
        (a.kid < b.kid ? -1 : 1),
    )
}

async function one(actor: ActorWith<'request'>, kid: string): Promise<AppRequirement> {
  const row = (await visible(actor).where('app_requirement.kid', '=', kid).executeTakeFirst()) ?? refuse('not_found')
  return shown(row, (await appsOf(actor, [row]))(row), actor)
}

/** Names of apps and of the versions required, of whichever account they are: what was required is told although it is delisted by now. */
async function appsOf({ deps }: Actor, required: readonly Required[]) {
  const apps = await deps.db
    .selectFrom('app')
    .select(['kid', 'name', 'package', 'offered_version_kid'])
    .where('kid', '=', sql<string>`any(${required.map(({ app_kid }) => app_kid)}::uuid[])`)
    .execute()
  const kids = [...required.map(({ version_kid }) => version_kid), ...apps.map((app) => app.offered_version_kid)]
  const versions = await deps.db
    .selectFrom('app_version')
    .select(['kid', 'version_name', 'version_code'])
    .where('kid', '=', sql<string>`any(${kids.filter((kid) => kid !== null)}::uuid[])`)
    .execute()
  return ({ app_kid, version_kid }: Required): App => {
    const app = apps.find(({ kid }) => kid === app_kid)
    const version = versions.find(({ kid }) => kid === (version_kid ?? app?.offered_version_kid))
    return {
      name: app?.name ?? '',
      package: app?.package ?? '',
      version_name: version?.version_name ?? null,
      version_code: version?.version_code ?? null,
    }
  }
}

export async function insert(actor: ActorWith<'request'>, input: In<Calls['insert']>): Promise<AppRequirement> {
  const { deps, account_kid, scope, visible_groups } = actor
  const { app_kid, terminal_group_kid, version_kid, rollout, is_on } = input
  const conditions = await readWindow(scope, input.conditions)
  await appsToPush(actor, [requiredApp({ app_kid, version_kid })])
  if (terminal_group_kid !== null) await target(deps.db, account_kid, visible_groups, terminal_group_kid)
  const kid = newKid()
  const now = deps.clock.now()
  await violation(
    () =>
      scope.transaction().execute(async (trx) => {
        await assertRoom(trx, account_kid, 'app_requirement', ['app_required_max', requirementLimits.of_account])
        await trx
          .insertInto('app_requirement')
          .values({
            kid,
            account_kid,
            app_kid,
            terminal_group_kid,
            version_kid,
            rollout: rollout && JSON.stringify(rollout),
            conditions: JSON.stringify(conditions),
            is_on,
            ...creationAudit(actor),
            created_at: now,
            next_at: is_on ? now : null,
          })
          .execute()
      }),
    { app_requirement_once: 'app_required_already' },
  )
  changed(actor)
  return one(actor, kid)
}

/** Whoever changes a rule becomes the one in whose name it pushes: what it does, it does with their permissions and reach. */
export async function update(
  actor: ActorWith<'request'>,
  { kid, ...draft }: In<Calls['update']>,
): Promise<AppRequirement> {
  const { scope, deps } = actor
  const before = await one(actor, kid)
  const { is_on = before.is_on } = draft
  const conditions = draft.conditions ? await readWindow(scope, draft.conditions) : before.conditions
  const { version_kid = before.version_kid, rollout = before.rollout } = draft
  if (version_kid !== before.version_kid)
    await appsToPush(actor, [requiredApp({ app_kid: before.app_kid, version_kid })])
  await scope
    .updateTable('app_requirement')
    .set({
      version_kid,
      rollout: rollout && JSON.stringify(rollout),
      conditions: JSON.stringify(conditions),
      is_on,
      next_at: is_on ? deps.clock.now() : null,
      last_error: null,
      ...creationAudit(actor),
    })
    .where('kid', '=', kid)
    .execute()
  changed(actor)
  return one(actor, kid)
}

export async function lookNow(actor: ActorWith<'request'>, kid: string): Promise<{ name: string }> {
  const { is_on, app_name } = await one(actor, kid)
  if (!is_on) return refuse('app_required_off')
  const now = actor.deps.clock.now()
  await actor.scope.updateTable('app_requirement').set({ next_at: now }).where('kid', '=', kid).execute()
  changed(actor)
  return { name: app_name }
}

/** Devices keep the app. Pushes that are on their way go on. */
export async function remove(actor: ActorWith<'request'>, kid: string): Promise<{ name: string }> {
  const { app_name } = await one(actor, kid)
  await actor.scope.deleteFrom('app_requirement').where('kid', '=', kid).execute()
  changed(actor)
  return { name: app_name }
}

function changed({ deps, account_kid }: Actor): void {
  deps.live.publish(account_kid, { type: 'app_requirement_changed' })
  wake(deps, requiredApps)
}

type Row = Awaited<ReturnType<ReturnType<typeof visible>['execute']>>[number]
type App = { name: string; package: string; version_name: string | null; version_code: number | null }
function shown(row: Row, app: App, actor: ActorWith<'request'>): AppRequirement {
  const { kid, app_kid, terminal_group_kid, group_name, conditions, is_on, last_task_kid, last_error } = row
  return {
    kid,
    app_kid,
    terminal_group_kid,
    group_name,
    version_kid: row.version_kid,
    rollout: row.rollout,
    conditions,
    is_on,
    counts: countsFor(actor, row),
    last_task_kid,
    app_name: app.name,
    package: app.package,
    version_name: app.version_name,
    version_code: app.version_code,
    looked_at: row.looked_at?.toISOString() ?? null,
    last_error: last_error && errorMessage(last_error.name as never, actor.request.language, last_error.details),
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
  }
}

/** Counts that a wider reach was counted with are not told to a user whom less is visible to: the next look counts anew. */
function countsFor({ visible_groups }: Pick<Actor, 'visible_groups'>, { counts: kept }: Pick<Row, 'counts'>) {
  if (!kept) return null
  const { visible_groups: counted, ...counts } = kept
  const is_within = !visible_groups || counted?.every((kid) => visible_groups.includes(kid))
  return is_within ? counts : null
}
