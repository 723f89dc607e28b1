import { contract, pushKindOf, requirementLimits } from '@mdm/contract'
import type { LeftOutReason, RequirementCounts } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely, Selectable } from 'kysely'
import { issuerOf } from '../../../actor.ts'
import type { Actor } from '../../../actor.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import type { SharedWork } from '../../../lib/background.ts'
import { clockDoubt } from '../../../lib/clock-watch.ts'
import { Refusal, remembered } from '../../../refusal.ts'
import { actingFor, insert as push, kindOf, openStates, splitByEligibility } from '../../push/push-task/index.ts'
import { matchingAfter } from '../../fleet/terminal-filter/index.ts'

type Row = Selectable<Tables['app_requirement']>
const every_ms = 15 * 60_000
const hour_ms = 3_600_000
/** Devices that are looked at in one statement. */
const piece = 5_000
/** Devices of one push, which names them. */
const named_max = 1_000
/** A device on which it failed waits an hour, then twice as long each time, at last a day. */
const longest_wait_hours = 24

/** One rule whose time has come; false when there is none. */
async function runOnce(deps: Deps): Promise<boolean> {
  if (clockDoubt(deps)) return false
  const row = await claim(deps)
  if (!row) return false
  await run(deps, row)
  deps.live.publish(row.account_kid, { type: 'app_requirement_changed' })
  return true
}
/** Looks, in the background, at the rules that are due. */
export const requiredApps: SharedWork = {
  name: 'required_apps',
  every_ms: 30_000,
  at_once: 1,
  by_age: true,
  run: runOnce,
}

/** What is offered of an app has changed: rules that require it are due, in whichever account they are. */
export const requiredAnew = async (trx: Kysely<Tables>, app_kid: string, now: Date): Promise<void> =>
  void (await trx
    .updateTable('app_requirement')
    .set({ next_at: now })
    .where('app_kid', '=', app_kid)
    .where('is_on', '=', true)
    .execute())

/** Its next time is committed first: whatever happens to this run, there is another one. */
const claim = (deps: Deps): Promise<Row | undefined> =>
  deps.db.transaction().execute(async (trx) => {
    const now = deps.clock.now()
    const { rows } = await sql<Row>`
      SELECT * FROM app_requirement WHERE next_at <= ${now} ORDER BY next_at, kid LIMIT 1 FOR UPDATE SKIP LOCKED
    `.execute(trx)
    const row = rows[0]
    if (!row) return undefined
    await trx
      .updateTable('app_requirement')
      .set({ next_at: new Date(now.getTime() + every_ms), looked_at: now })
      .where('kid', '=', row.kid)
      .execute()
    return row
  })

/** As whoever made it, with what that person may do today. */
async function run(deps: Deps, row: Row): Promise<void> {
  const note = (set: Partial<{ counts: string; last_task_kid: string; last_error: string | null }>) =>
    deps.db.updateTable('app_requirement').set(set).where('kid', '=', row.kid).execute()
  try {
    const actor = await actingFor(deps, issuerOf(row), pushKindOf('app_install').needs)
    const { counts, wanted } = await look(actor, row)
    const made = await pushTo(actor, row, wanted)
    if (made) counts.waiting += made.target_count
    const counted = { ...counts, visible_groups: actor.visible_groups ?? null }
    await note({ counts: JSON.stringify(counted), last_error: null, ...(made && { last_task_kid: made.kid }) })
  } catch (error) {
    if (!(error instanceof Refusal))
      deps.log.error({ err: error, app_requirement_kid: row.kid }, 'a required app was not looked at')
    await note({ last_error: remembered(error) })
  }
}

/** Where each device stands, and which of them are to have a push now. */
async function look(actor: Actor, row: Row): Promise<{ counts: RequirementCounts; wanted: string[] }> {
  const kind = kindOf('app_install')
  const { payload } = await kind.store!(actor, payloadOf(row) as never)
  const rules = { type: 'app_install' as const, rules: kind.rules!(payload) }
  const package_name = rules.rules.apps!.at(-1)!.package
  const match = { terminal_group_kid: row.terminal_group_kid ?? ('ALL' as const) }
  const counts: RequirementCounts = {
    devices: 0,
    has_it: 0,
    below: 0,
    missing: 0,
    waiting: 0,
    failing: 0,
    left_out: [],
  }
  const left_out = new Map<LeftOutReason, number>()
  const wanted: string[] = []
  for (let after: string | undefined; ;) {
    const kids = await matchingAfter(actor, match, after, piece)
    const sorted = await splitByEligibility(actor, kids, rules)
    counts.devices += kids.length
    for (const { reason } of sorted.left_out)
      if (reason === 'has_it' || reason === 'has_newer') counts.has_it += 1
      else left_out.set(reason, (left_out.get(reason) ?? 0) + 1)
    for (const device of await standing(actor, row, package_name, sorted.kids)) {
      counts[device.has_lower ? 'below' : 'missing'] += 1
      if (device.is_open) counts.waiting += 1
      else if (device.is_held_back) counts.failing += 1
      else if (wanted.length < named_max) wanted.push(device.kid)
    }
    if (kids.length < piece) break
    after = kids.at(-1)
  }
  counts.left_out = [...left_out].map(([reason, count]) => ({ reason, count }))
  return { counts, wanted }
}

type Standing = { kid: string; has_lower: boolean; is_open: boolean; is_held_back: boolean }
/** Of devices that lack the app or have a lower version. A push of the app that is open for one counts, whoever made it. */
async function standing(
  { deps }: Actor,
  { kid, app_kid }: Row,
  package_name: string,
  kids: readonly string[],
): Promise<Standing[]> {
  if (kids.length === 0) return []
  const { rows } = await sql<Standing>`
    SELECT t.kid, EXISTS (SELECT FROM terminal_app i WHERE i.terminal_kid = t.kid AND i.package = ${package_name}) AS has_lower,
      EXISTS (
        SELECT FROM push_task_terminal p JOIN push_task_app a ON a.push_task_kid = p.push_task_kid AND a.app_kid = ${app_kid}
        WHERE p.terminal_kid = t.kid AND p.state = ANY(${openStates}::text[])) AS is_open,
      COALESCE(f.last + LEAST(power(2, f.times - 1), ${longest_wait_hours}) * interval '1 hour' > ${deps.clock.now()}, false) AS is_held_back
    FROM unnest(${kids}::uuid[]) AS t(kid)
    LEFT JOIN LATERAL (
      SELECT max(p.state_at) AS last, count(*) AS times
      FROM push_task_terminal p JOIN push_task k ON k.kid = p.push_task_kid AND k.requirement_kid = ${kid}
      WHERE p.terminal_kid = t.kid AND p.state IN ('failed', 'canceled')) f ON f.times > 0
    ORDER BY t.kid
  `.execute(deps.db)
  return rows
}

export type Required = Pick<Row, 'app_kid' | 'version_kid'>
/** The app in the version that was chosen, or in whichever is offered. */
export const requiredApp = ({ app_kid, version_kid }: Required) => ({
  app_kid,
  ...(version_kid !== null && { version_kid }),
})
const payloadOf = (row: Required) => ({ apps: [requiredApp(row)], may_downgrade: false })

/**
 * One push at a time, while another of the rule has not begun, is paused, or has not come to its last step; and so many devices
 * within an hour.
 */
async function pushTo(
  actor: Actor,
  row: Row,
  wanted: readonly string[],
): Promise<{ kid: string; target_count: number } | undefined> {
  const { deps } = actor
  const now = deps.clock.now().getTime()
  // What a clock that was wrong has dated into the future is not lately.
  const { rows } = await sql<{ is_pending: boolean; lately: number }>`
    SELECT COALESCE(bool_or(phase IN ('awaiting_approval', 'planned', 'creating', 'paused')
        OR (phase = 'running' AND step < (SELECT max(s.step) FROM push_task_step s WHERE s.push_task_kid = k.kid))), false) AS is_pending,
      COALESCE(sum(target_count) FILTER (
        WHERE created_at > ${new Date(now - hour_ms)} AND created_at < ${new Date(now + hour_ms)}), 0)::integer AS lately
    FROM push_task k WHERE requirement_kid = ${row.kid}
  `.execute(deps.db)
  const { is_pending, lately } = rows[0]!
  const terminal_kids = wanted.slice(0, Math.max(0, requirementLimits.per_hour - lately))
  if (is_pending || terminal_kids.length === 0) return undefined
  const { network, prompt, window } = row.conditions
  const input = contract.pushTask.calls.insert.input.parse({
    type: 'app_install',
    payload: payloadOf(row),
    terminal_kids,
    ...(row.rollout && { rollout: row.rollout }),
    conditions: {
      network,
      install_prompt: prompt === 'ask',
      force_install: prompt === 'force',
      ...(window && { window }),
    },
  })
  return push(actor, input, { requirement_kid: row.kid })
}
