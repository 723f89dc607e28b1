import { TerminalRow } from '@mdm/contract'
import type { Selectable } from 'kysely'
import type { Tables } from '../../db/schema/tables.ts'
import { actorOf } from '../../actor.ts'
import type { Actor } from '../../actor.ts'
import type { Deps } from '../../deps.ts'
import { backgroundWork } from '../../lib/background.ts'
import { newKid } from '../../lib/ids.ts'
import { sheetStream } from '../../lib/sheet.ts'
import type { Cell } from '../../lib/sheet.ts'
import { cellsOf, splitKey } from '../list-export/service.ts'
import { withUploadRoles } from '../terminal-config/service.ts'
import { count as countMatching } from '../terminal-filter/service.ts'
import * as terminals from '../terminal/service.ts'

type Row = Selectable<Tables['terminal_export']>
type Devices = readonly Record<string, unknown>[]

/** Of all accounts, on this server: each reads a whole list. */
const at_once = 2
/** Rows of one statement: what else waits for the database waits no longer than for so many. */
const page_size = 500
/** How often it is said how far it is, and looked whether it was cancelled. */
const look_ms = 300
/** Who has not looked for so long is not there any more. */
const abandoned_ms = 20_000
const most_attempts = 3
const most_bytes = 2 * 1024 ** 3

/** It was cancelled, or another server has taken it over. */
class Stopped extends Error {}

/** Takes the one that has waited longest, also from a server that died over it. What that had written is nobody's. */
async function claim(deps: Deps): Promise<Row | undefined> {
  const now = deps.clock.now()
  const stale = new Date(now.getTime() - abandoned_ms)
  const taken = await deps.db.transaction().execute(async (trx) => {
    const found = await trx
      .selectFrom('terminal_export')
      .select(['kid', 'attempt', 'object'])
      .where('state', '=', 'running')
      .where((eb) => eb.or([eb('attempt', '=', 0), eb('touched_at', '<', stale)]))
      .orderBy('created_at')
      .limit(1)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst()
    if (!found) return undefined
    const row = await trx
      .updateTable('terminal_export')
      .set(
        found.attempt < most_attempts
          ? { attempt: found.attempt + 1, object: newKid(), done: 0, touched_at: now }
          : { state: 'failed', object: null, finished_at: now },
      )
      .where('kid', '=', found.kid)
      .returningAll()
      .executeTakeFirstOrThrow()
    return { row, left_over: found.object }
  })
  if (taken?.left_over) await deps.objects.delete(taken.left_over)
  return taken?.row
}

/** Notes where it is. Throws Stopped when it is not this attempt's any more. */
async function note(deps: Deps, row: Row, change: Partial<Omit<Row, 'request'>>): Promise<Row> {
  const noted = await deps.db
    .updateTable('terminal_export')
    .set({ ...change, touched_at: deps.clock.now() })
    .where('kid', '=', row.kid)
    .where('state', '=', 'running')
    .where('attempt', '=', row.attempt)
    .returningAll()
    .executeTakeFirst()
  if (!noted) throw new Stopped()
  tellProgress(deps, noted)
  return noted
}

async function write(deps: Deps, row: Row): Promise<void> {
  const { request, language } = row
  const total = await count(deps, row)
  await note(deps, row, { total })
  const cells = cellsOf(TerminalRow.shape, request.columns, { zone_id: request.zone_id, language })
  let done = 0
  async function* rows(): AsyncGenerator<Cell[][]> {
    let looked_at = performance.now()
    for await (const page of devices(deps, row)) {
      yield page.map(cells)
      done += page.length
      if (performance.now() - looked_at < look_ms) continue
      await note(deps, row, { done })
      looked_at = performance.now()
    }
  }
  const titles = request.columns.map(({ title }) => title)
  const stream = sheetStream({ format: request.format, name: request.name, titles, rows: rows() })
  const { size } = await deps.objects.put(row.object!, stream, most_bytes)
  // Devices came or went meanwhile: what is in the file is what counts.
  await note(deps, row, { state: 'done', done, total: done, size, finished_at: deps.clock.now() })
}

const asker = (deps: Deps, { account_kid, group_kids, created_by_kid, created_by }: Row): Actor =>
  actorOf(deps, {
    account_kid,
    group_kids: group_kids ?? undefined,
    user_kid: created_by_kid,
    name: created_by,
    token_kid: null,
  })
async function count(deps: Deps, row: Row): Promise<number> {
  const { match, terminal_kids } = row.request
  return match ? countMatching(asker(deps, row), match) : terminal_kids!.length
}

/** As the list shows them, in its order; named ones in the order in which they were named. */
async function* devices(deps: Deps, row: Row): AsyncGenerator<Devices> {
  const { match, terminal_kids, sort, order, columns } = row.request
  const actor = asker(deps, row)
  if (!match) return yield await terminals.rowsOf(actor, [...new Set(terminal_kids)])
  const fields = new Set(columns.map(({ key }) => splitKey(key)[0]))
  const has_rules = fields.has('upload_roles')
  const only = has_rules ? new Set([...fields, 'kid', 'terminal_group_kid']) : fields
  for await (const page of terminals.pages(actor, { ...match, sort, order }, { page_size, only }))
    yield has_rules ? await withUploadRoles(actor, page) : page
}

/** False when there is nothing to do. */
async function workOnce(deps: Deps): Promise<boolean> {
  const row = await claim(deps)
  if (!row) return false
  if (row.state !== 'running') {
    tellProgress(deps, row)
    return true
  }
  try {
    await write(deps, row)
  } catch (error) {
    await deps.objects.delete(row.object!)
    if (error instanceof Stopped) return true
    // It stays as it is, and is taken up again when nobody has touched it for a while.
    if (deps.isUnavailable(error)) throw error
    deps.log.error({ err: error, terminal_export_kid: row.kid }, 'an export failed')
    deps.onInternalError?.(error)
    await note(deps, row, { state: 'failed', object: null, finished_at: deps.clock.now() }).catch(() => {})
  }
  return true
}

/** To everybody of the account who may have it. */
export function tellProgress(deps: Deps, { kid, account_kid, state, total, done }: Row): void {
  deps.live.publish(account_kid, { type: 'terminal_export', schedule_version: kid, state, total, done })
}

/** Works in the background until nothing waits. */
export const wakeExports = backgroundWork('exports', workOnce, { at_once })
