import { TerminalRow } from '@mdm/contract'
import type { Selectable } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import { sql } from 'kysely'
import { ClaimLost, withClaim } from '../../../db/claim.ts'
import type { Claim } from '../../../db/claim.ts'
import { readable } from '../../../db/replica.ts'
import { actorOf } from '../../../actor.ts'
import type { Actor } from '../../../actor.ts'
import type { Deps } from '../../../deps.ts'
import type { SharedWork } from '../../../lib/background.ts'
import { newKid } from '../../../lib/ids.ts'
import { sheetStream } from '../../../workers/sheet.ts'
import type { Cell } from '../../../workers/sheet.ts'
import { cellsOf, splitKey } from '../list-export/index.ts'
import { withUploadRoles } from '../../configuration/terminal-config/index.ts'
import { count as countMatching } from '../../fleet/terminal-filter/index.ts'
import * as terminals from '../../devices/terminal/index.ts'

type Row = Selectable<Tables['terminal_export']>
type Devices = readonly Record<string, unknown>[]

/** Of all accounts, on this server: each reads a whole list. */
const at_once = 2
/** Rows of one statement: what else waits for the database waits no longer than for so many. */
const page_size = 500
/** How often it is said how far it is, and looked whether it was cancelled. */
const look_ms = 300
const most_attempts = 3
const most_bytes = 2 * 1024 ** 3

async function write(deps: Deps, from: Deps, { row, set }: Claim<'terminal_export'>, object: string): Promise<void> {
  const { request, language } = row
  const note = async (change: Partial<Pick<Row, 'state' | 'total' | 'done' | 'size' | 'finished_at'>>) => {
    await set(change)
    tellProgress(deps, Object.assign(row, change))
  }
  await note({ total: await count(from, row) })
  const cells = cellsOf(TerminalRow.shape, request.columns, { zone_id: request.zone_id, language })
  let done = 0
  async function* rows(): AsyncGenerator<Cell[][]> {
    let looked_at = performance.now()
    for await (const page of devices(from, row)) {
      yield page.map(cells)
      done += page.length
      if (performance.now() - looked_at < look_ms) continue
      await note({ done })
      looked_at = performance.now()
    }
  }
  const titles = request.columns.map(({ title }) => title)
  const stream = sheetStream({ format: request.format, name: request.name, titles, rows: rows() })
  const { size } = await deps.objects.put(object, stream, most_bytes)
  // Devices came or went meanwhile: what is in the file is what counts.
  await note({ state: 'done', done, total: done, size, finished_at: deps.clock.now() })
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

/** One that waits, or whose server is gone. What that had written is nobody's. */
function workOnce(deps: Deps): Promise<boolean> {
  const wanted = { states: ['running'], order: sql`r.created_at`, set: sql`attempt = r.attempt + 1, done = 0` }
  return withClaim(deps, 'terminal_export', wanted, async (claim) => {
    const { row, set } = claim
    const end = async () => {
      await set({ state: 'failed', object: null, finished_at: deps.clock.now() })
      tellProgress(deps, { ...row, state: 'failed' })
    }
    if (row.object) await deps.objects.delete(row.object)
    if (row.attempt > most_attempts) return end()
    const object = newKid()
    // A replica that fails it once is not asked again.
    const from = row.attempt === 1 ? await readable(deps) : deps
    try {
      await set({ object })
      await write(deps, from, claim, object)
    } catch (error) {
      await deps.objects.delete(object)
      // What cannot be had now is tried again in a moment.
      if (error instanceof ClaimLost || deps.isUnavailable(error) || from !== deps) throw error
      deps.log.error({ err: error, terminal_export_kid: row.kid }, 'an export failed')
      deps.onInternalError?.(error)
      await end()
    }
  })
}

/** To everybody of the account who may have it. */
export function tellProgress(deps: Deps, { kid, account_kid, state, total, done }: Row): void {
  deps.live.publish(account_kid, { type: 'terminal_export', schedule_version: kid, state, total, done })
}

/** Works in the background until nothing waits. */
export const deviceExports: SharedWork = { name: 'exports', every_ms: 5_000, at_once, run: workOnce }
