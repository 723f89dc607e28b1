import { isFinal, reportedEvent } from '@mdm/contract'
import type { Up } from '@mdm/device-link'
import { sql } from 'kysely'
import type { Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Deps } from '../../deps.ts'
import { count } from '../../link/stats.ts'
import { move, newMoves, touch, writeMoves } from './moves.ts'
import type { MoveFields, Moves } from './moves.ts'
import { lockRows } from './rows.ts'
import type { TaskRow } from './rows.ts'

export type Report = { terminal_kid: string; at: Date; body: Up['task'] }

/**
 * What devices say of their tasks, in order of arrival. A report for another attempt, one that carries a version older
 * than the row's, and a step the table does not have are counted, logged and change nothing.
 */
export async function applyReports(deps: Deps, trx: Transaction<Tables>, reports: Report[]): Promise<Moves> {
  const keys = [...new Set(reports.map(keyOf))].map((key) => {
    const [k, t] = key.split(' ')
    return { k, t }
  })
  const rows = await lockRows(
    trx,
    sql`(p.push_task_kid, p.terminal_kid) IN
      (SELECT k, t FROM jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) AS r(k uuid, t uuid))`,
  )
  const byKey = new Map(rows.map((row) => [`${row.push_task_kid} ${row.terminal_kid}`, row]))
  const slots = await pictures(trx, reports, byKey)
  const moves = newMoves()
  for (const report of reports) {
    const row = byKey.get(keyOf(report))
    const verdict = row ? applyOne(moves, row, report, slots) : 'unknown'
    if (verdict === 'applied') continue
    count(`reports_${verdict}`)
    const { task_kid, attempt, state, expected_version } = report.body
    deps.log.debug(
      { terminal_kid: report.terminal_kid, task_kid, attempt, state, expected_version, now: row?.state, verdict },
      'task report ignored',
    )
  }
  await writeMoves(trx, moves)
  return moves
}

function applyOne(moves: Moves, row: TaskRow, { at, body }: Report, slots: Slots) {
  const { state, expected_version } = body
  if (body.attempt !== row.attempt) return 'late'
  if (expected_version !== undefined && expected_version < row.version) return 'late'
  if (state === row.state && !isFinal(state)) {
    touch(moves, row, expected_version)
    row.progress = body.progress ?? row.progress
    row.message = body.message ?? row.message
    return 'applied'
  }
  const fields: MoveFields = { progress: body.progress, code: body.code, message: body.message }
  if (state === 'completed') {
    fields.result_text = body.result?.text
    fields.result_object = pictureOf(row, body, slots)
  }
  const version = row.version
  if (!move(moves, row, reportedEvent[state], at, fields)) return 'illegal'
  row.version = Math.max(version, expected_version ?? 0) + 1
  return 'applied'
}

type Slots = Map<string, string>

/** Only the object that this very attempt uploaded into its own slot is ever shown as its result. */
const pictureOf = (row: TaskRow, body: Up['task'], slots: Slots): string | undefined => {
  const uploaded = slots.get(`${row.push_task_kid} ${row.terminal_kid} ${row.attempt}`)
  const said = body.result?.object
  return said === undefined || said === uploaded ? uploaded : undefined
}

async function pictures(trx: Transaction<Tables>, reports: Report[], rows: Map<string, TaskRow>): Promise<Slots> {
  const finished = reports.filter(
    (report) => report.body.state === 'completed' && rows.get(keyOf(report))?.type === 'screenshot',
  )
  if (finished.length === 0) return new Map()
  const keys = finished.map(({ terminal_kid, body }) => ({ k: body.task_kid, t: terminal_kid, a: body.attempt }))
  const found = await sql<{ key: string; object: string }>`
    SELECT s.push_task_kid || ' ' || s.terminal_kid || ' ' || s.attempt AS key, s.object
    FROM jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) AS r(k uuid, t uuid, a integer)
    JOIN device_slot s ON s.push_task_kid = r.k AND s.terminal_kid = r.t AND s.attempt = r.a
    WHERE s.object IS NOT NULL AND s.used_at IS NOT NULL
  `.execute(trx)
  return new Map(found.rows.map(({ key, object }) => [key, object]))
}

const keyOf = ({ terminal_kid, body }: Report): string => `${body.task_kid} ${terminal_kid}`
