import { constants, terminal_export_limits, TerminalRow } from '@mdm/contract'
import type { FileReply, Language, TerminalExport } from '@mdm/contract'
import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { ExportInput } from '../../../db/schema/tables-export.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Actor } from '../../../actor.ts'
import { violation } from '../../../db/violations.ts'
import type { Deps } from '../../../deps.ts'
import { exportName } from '../../../files/names.ts'
import { refuse } from '../../../refusal.ts'
import { assertThere } from '../../fleet/terminal-filter/index.ts'
import { newKid } from '../../../lib/ids.ts'
import { assertFields, countExport } from '../list-export/index.ts'
import { tellProgress, deviceExports } from './export-worker.ts'
import { wake } from '../../../lib/background.ts'

export type Row = Selectable<Tables['terminal_export']>

const day_ms = 86_400_000
const chunk = 200

/** Notes what is wanted, for whoever works next; whatever becomes of the session that asked, it goes on. */
export async function start(actor: Actor, input: ExportInput, language: Language): Promise<Row> {
  const { deps, account_kid, scope, visible_groups, user } = actor
  assertFields(TerminalRow.shape, input.columns)
  if (input.terminal_kids) await assertThere(scope, input.terminal_kids)
  await countExport(deps, account_kid)
  const now = deps.clock.now()
  const row = await violation(
    () =>
      scope
        .insertInto('terminal_export')
        .values({
          kid: newKid(),
          account_kid,
          request: JSON.stringify(input),
          language,
          group_kids: visible_groups ? [...visible_groups] : null,
          created_by_kid: user.kid,
          created_by: user.name,
          created_at: now,
          expires_at: new Date(now.getTime() + constants.export_days * day_ms),
        })
        .returningAll()
        .executeTakeFirstOrThrow(),
    { terminal_export_one: 'export_running' },
  )
  tellProgress(deps, row)
  wake(deps, deviceExports)
  return row
}

/** A user limited to groups has only their own: others may name devices out of reach. */
const visible = ({ deps, scope, visible_groups, user }: Actor) =>
  scope
    .selectFrom('terminal_export')
    .selectAll()
    .where('expires_at', '>', deps.clock.now())
    .$if(visible_groups !== undefined, (q) => q.where('created_by_kid', '=', user.kid))

export const recent = (actor: Actor): Promise<Row[]> =>
  visible(actor).orderBy('created_at', 'desc').orderBy('kid', 'desc').limit(terminal_export_limits.kept).execute()

const one = async (actor: Actor, kid: string): Promise<Row> =>
  (await visible(actor).where('kid', '=', kid).executeTakeFirst()) ?? refuse('not_found')

/** From here on another one may begin; who is writing this one notices at its next look and stops. */
export async function cancel(actor: Actor, schedule_version: string): Promise<Row> {
  const { kid } = await one(actor, schedule_version)
  const row = await actor.scope
    .updateTable('terminal_export')
    .set({ state: 'canceled', finished_at: actor.deps.clock.now() })
    .where('kid', '=', kid)
    .where('state', '=', 'running')
    .returningAll()
    .executeTakeFirst()
  if (!row) return refuse('export_not_running')
  tellProgress(actor.deps, row)
  return row
}

export async function fileOf(actor: Actor, schedule_version: string): Promise<FileReply> {
  const { state, object, request } = await one(actor, schedule_version)
  if (state !== 'done' || object === null) return refuse('not_found')
  return { name: exportName(request.name, request.format), body: await actor.deps.objects.read(object) }
}

/** What it covers; a filter that says nothing is every device. */
function rangeOf({ match }: ExportInput): Pick<TerminalExport, 'range' | 'match'> {
  if (match === undefined) return { range: 'named', match: null }
  const is_all = Object.values(match).every((value) => value === undefined || value === 'ALL')
  return is_all ? { range: 'all', match: null } : { range: 'filter', match }
}

export const shown = (row: Row): TerminalExport => ({
  schedule_version: row.kid,
  state: row.state,
  name: exportName(row.request.name, row.request.format),
  format: row.request.format,
  total: row.total,
  done: row.done,
  size: row.size,
  columns: row.request.columns.map(({ title }) => title),
  ...rangeOf(row.request),
  created_by: row.created_by,
  created_at: row.created_at.toISOString(),
  finished_at: row.finished_at?.toISOString() ?? null,
  expires_at: row.expires_at.toISOString(),
})

/** Removes files after their time, and what is older than the newest few of an account. */
export async function keepExports(deps: Deps): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ object: string | null }>`
      DELETE FROM terminal_export WHERE kid IN (
        SELECT kid FROM (
          SELECT kid, state, expires_at,
            row_number() OVER (PARTITION BY account_kid ORDER BY created_at DESC, kid DESC) AS place
          FROM terminal_export
        ) e
        WHERE state <> 'running' AND (expires_at < ${deps.clock.now()} OR place > ${terminal_export_limits.kept})
        LIMIT ${chunk})
      RETURNING object`.execute(deps.db)
    for (const { object } of rows) if (object) await deps.objects.delete(object)
    if (rows.length < chunk) return
  }
}
