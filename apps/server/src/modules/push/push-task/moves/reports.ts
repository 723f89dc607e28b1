import { isFinal, processEventOf, reportedEvent } from '@mdm/contract'
import type { Up } from '@mdm/device-link'
import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import { records } from '../../../../db/records.ts'
import type { Tables } from '../../../../db/schema/tables.ts'
import type { Deps } from '../../../../deps.ts'
import { newKid } from '../../../../lib/ids.ts'
import { count } from '../../../../link/stats.ts'
import { keepSaid } from '../../../fleet/installed-app/index.ts'
import type { Stored } from '../kinds/kind.ts'
import { kindOf } from '../kinds/kinds.ts'
import { bumpVersion, move, newMoves, writeMoves } from './moves.ts'
import type { MoveFields, Moves } from './moves.ts'
import { lockRows } from '../rows.ts'
import type { TaskRow } from '../rows.ts'

export type Report = { terminal_kid: string; at: Date; body: Up['task'] }

/**
 * What devices say of their tasks, in order of arrival. A report for another attempt, one that carries a version older
 * than the row's, and a step the table does not have are counted, logged and change nothing. What a device did after the
 * attempt had ended here is noted on its timeline: `after_end` are those reports that say something new.
 */
export async function applyReports(
  deps: Deps,
  trx: Transaction<Tables>,
  reports: Report[],
): Promise<{ moves: Moves; after_end: { row: TaskRow; attempt: number; state: Up['task']['state'] }[] }> {
  const keys = [...new Set(reports.map(keyOf))].map((key) => {
    const [k, t] = key.split(' ')
    return { k, t }
  })
  const rows = await lockRows(
    trx,
    sql`(p.push_task_kid, p.terminal_kid) IN
      (SELECT k, t FROM ${records(keys).as('r(k uuid, t uuid)')})`,
  )
  const byKey = new Map(rows.map((row) => [`${row.push_task_kid} ${row.terminal_kid}`, row]))
  const slots = await uploadedFiles(trx, reports, byKey)
  const denied = await contradictions(deps, trx, reports, byKey)
  const moves = newMoves()
  const ended: EndedReport[] = []
  const app_reports: Parameters<typeof keepSaid>[1][number][] = []
  for (const report of reports) {
    const row = byKey.get(keyOf(report))
    const verdict = row ? applyOne(moves, row, report, slots, denied.get(report)) : 'unknown'
    const { apps } = report.body.result ?? {}
    if (verdict === 'applied' && apps && kindOf(row!.type).reports_apps)
      app_reports.push({ terminal_kid: report.terminal_kid, apps })
    if (verdict === 'applied') continue
    if (row && hasEnded(row, report.body)) ended.push({ ...report, row })
    count(`reports_${verdict}`)
    const { task_kid, attempt, state, expected_version } = report.body
    deps.log.debug(
      { terminal_kid: report.terminal_kid, task_kid, attempt, state, expected_version, now: row?.state, verdict },
      'task report ignored',
    )
  }
  await writeMoves(trx, moves)
  await keepSaid(trx, app_reports)
  return { moves, after_end: await noteAfterEnd(trx, ended) }
}

type EndedReport = Report & { row: TaskRow }

const hasEnded = (row: TaskRow, { attempt, state }: Up['task']): boolean =>
  attempt < row.attempt || (attempt === row.attempt && isFinal(row.state) && state !== row.state)

/**
 * Each step once for an attempt. Steps that its timeline has are repeats: a report is sent again until it is acknowledged.
 */
async function noteAfterEnd(trx: Transaction<Tables>, ended: EndedReport[]) {
  const steps = new Map<string, EndedReport & { kid: string }>()
  for (const report of ended)
    if (processEventOf[reportedEvent[report.body.state]])
      steps.set(`${keyOf(report)} ${report.body.attempt} ${report.body.state}`, { ...report, kid: newKid() })
  if (steps.size === 0) return []
  const rows = [...steps.values()].map(({ kid, row, at, body }) => ({
    kid,
    account_kid: row.account_kid,
    push_task_kid: row.push_task_kid,
    terminal_kid: row.terminal_kid,
    attempt: body.attempt,
    at,
    state: body.state,
    message: body.code ?? null,
    step: processEventOf[reportedEvent[body.state]],
  }))
  const { rows: noted } = await sql<{ kid: string }>`
    INSERT INTO push_task_activity (kid, account_kid, push_task_kid, terminal_kid, attempt, event, at, code, message)
    SELECT r.kid, r.account_kid, r.push_task_kid, r.terminal_kid, r.attempt, 'reported_after_end', r.at, r.state, r.message
    FROM ${records(rows).as(`r(kid uuid, account_kid uuid, push_task_kid uuid, terminal_kid uuid, attempt integer,
      at timestamptz, state text, message text, step text)`)}
    WHERE NOT EXISTS (
      SELECT FROM push_task_activity a
      WHERE a.push_task_kid = r.push_task_kid AND a.terminal_kid = r.terminal_kid AND a.attempt = r.attempt
        AND (a.event = r.step OR (a.event = 'reported_after_end' AND a.code = r.state)))
    RETURNING kid
  `.execute(trx)
  const kids = new Set(noted.map(({ kid }) => kid))
  return [...steps.values()]
    .filter(({ kid }) => kids.has(kid))
    .map(({ row, body: { attempt, state } }) => ({ row, attempt, state }))
}

function applyOne(moves: Moves, row: TaskRow, { at, body }: Report, slots: Slots, denied: string | undefined) {
  const { state, expected_version } = body
  if (body.attempt !== row.attempt) return 'late'
  if (expected_version !== undefined && expected_version < row.version) return 'late'
  if (state === row.state && !isFinal(state)) {
    bumpVersion(moves, row, expected_version)
    row.progress = body.progress ?? row.progress
    row.message = body.message ?? row.message
    row.waits = body.waits ?? null
    return 'applied'
  }
  const fields: MoveFields = { progress: body.progress, code: body.code, message: body.message, waits: body.waits }
  if (state === 'completed') {
    fields.result_text = body.result?.text
    fields.result_object = uploadOf(row, body, slots)
  }
  const version = row.version
  const { uploads } = kindOf(row.type)
  const without = state === 'completed' && uploads && fields.result_object === undefined ? uploads.missing : denied
  if (state === 'completed' && without !== undefined) {
    if (!move(moves, row, 'fail', at, { code: without, message: body.result?.text?.slice(0, 1000) })) return 'illegal'
    row.version = Math.max(version, expected_version ?? 0) + 1
    return 'applied'
  }
  // Stopped because its time was over: on both sides it did not happen.
  const is_stopped = state === 'canceled' && row.is_overdue
  const done = is_stopped
    ? move(moves, row, 'fail', at, { code: 'deadline' })
    : move(moves, row, reportedEvent[state], at, fields)
  if (!done) return 'illegal'
  row.version = Math.max(version, expected_version ?? 0) + 1
  return 'applied'
}

type Slots = Map<string, string>

/** Only the object that this very attempt uploaded into its own slot is ever shown as its result. */
const uploadOf = (row: TaskRow, body: Up['task'], slots: Slots): string | undefined => {
  const uploaded = slots.get(`${row.push_task_kid} ${row.terminal_kid} ${row.attempt}`)
  const said = body.result?.object
  return said === undefined || said === uploaded ? uploaded : undefined
}

async function uploadedFiles(trx: Transaction<Tables>, reports: Report[], rows: Map<string, TaskRow>): Promise<Slots> {
  const finished = reports.filter((report) => {
    const row = rows.get(keyOf(report))
    return report.body.state === 'completed' && row && kindOf(row.type).uploads
  })
  if (finished.length === 0) return new Map()
  const keys = finished.map(({ terminal_kid, body }) => ({ k: body.task_kid, t: terminal_kid, a: body.attempt }))
  const found = await sql<{ key: string; object: string }>`
    SELECT s.push_task_kid || ' ' || s.terminal_kid || ' ' || s.attempt AS key, s.object
    FROM ${records(keys).as('r(k uuid, t uuid, a integer)')}
    JOIN device_slot s ON s.push_task_kid = r.k AND s.terminal_kid = r.t AND s.attempt = r.a
    WHERE s.object IS NOT NULL AND s.used_at IS NOT NULL
  `.execute(trx)
  return new Map(found.rows.map(({ key, object }) => [key, object]))
}

const keyOf = ({ terminal_kid, body }: Report): string => `${body.task_kid} ${terminal_kid}`

/**
 * Reports of a completion that what the device says elsewhere contradicts, each with the code that it fails with.
 * A device whose newest hello may be lost is believed.
 */
async function contradictions(
  deps: Pick<Deps, 'link'>,
  trx: Transaction<Tables>,
  reports: readonly Report[],
  rows: Map<string, TaskRow>,
): Promise<Map<Report, string>> {
  const found = new Map<Report, string>()
  const claimed = reports.flatMap((report) => {
    const row = rows.get(keyOf(report))
    const is_judged = row && report.body.state === 'completed' && kindOf(row.type).contradicted
    return is_judged ? [{ report, row }] : []
  })
  const unheard = await unheardSince(
    trx,
    deps.link.hellosLostUntil?.(),
    claimed.map(({ report: { terminal_kid } }) => terminal_kid),
  )
  const completed = claimed.filter(({ report: { terminal_kid } }) => !unheard.has(terminal_kid))
  if (completed.length === 0) return found
  const kids = [...new Set(completed.map(({ row }) => row.push_task_kid))]
  const { rows: pushes } = await sql<{ kid: string; payload: Stored }>`
    SELECT kid, payload FROM push_task WHERE kid = ANY(${kids}::uuid[])
  `.execute(trx)
  for (const { kid, payload } of pushes) {
    const mine = completed.filter(({ row }) => row.push_task_kid === kid)
    const said = mine.map(({ report: { terminal_kid, body } }) => ({ terminal_kid, result: body.result }))
    const codes = await kindOf(mine[0]!.row.type).contradicted!(trx, payload, said)
    for (const [index, { report }] of mine.entries()) if (codes[index] !== undefined) found.set(report, codes[index])
  }
  return found
}

/** Those of which no hello was stored since hellos were lost. */
async function unheardSince(
  trx: Transaction<Tables>,
  lost_until: Date | undefined,
  terminal_kids: readonly string[],
): Promise<Set<string>> {
  if (!lost_until || terminal_kids.length === 0) return new Set()
  const rows = await trx
    .selectFrom('terminal_state')
    .select('terminal_kid')
    .where('terminal_kid', 'in', terminal_kids)
    .where((eb) => eb.or([eb('connected_at', 'is', null), eb('connected_at', '<', lost_until)]))
    .execute()
  return new Set(rows.map(({ terminal_kid }) => terminal_kid))
}
