import { batch_limits, errors } from '@mdm/contract'
import type { BatchPreview, Language, PolicyPreview, PolicySource } from '@mdm/contract'
import type { Ctx } from '../../../http/context.ts'
import type { Deps } from '../../../deps.ts'
import { wholeUpload } from '../../../files/own-upload.ts'
import { objectSource } from '../../../files/object-store.ts'
import { refuse } from '../../../refusal.ts'
import { bytesText } from '../../../lib/bytes.ts'
import { inWorker, requesterOf } from '../../../workers/service.ts'
import { judge, seeRoom } from '../enrolment/index.ts'
import type { Week } from '../enrolment/index.ts'
import { readPaths } from '../terminal-group/index.ts'
import type { Actor } from '../../../actor.ts'
import { groupFaults, newGroups } from './row-groups.ts'
import { messageOf } from './sheet/faults.ts'
import { refusedAs } from './sheet/refused-as.ts'
import { layouts } from './sheet/layouts.ts'
import { onPolicy } from './policies.ts'
import type { SheetKind } from './sheet/layouts.ts'
import { readGiven } from './sheet/given-rows.ts'
import type { Rows } from './sheet/given-rows.ts'
import type { ReadRow, ReadTable } from './sheet/sheet.ts'
import { weekOfAccount } from './week.ts'

const judged_at_once = 1_000

/** A sheet that was uploaded, or rows of it that were mended since. */
type Source = { upload_kid?: string | undefined; rows?: Rows | undefined }

/**
 * What registering a sheet for the account of `to` would say of every row. Nothing is registered; wrong codes count as wrong.
 * `creates_groups`: whether the caller may.
 */
export async function preview(
  ctx: Ctx,
  { to, source, creates_groups }: { to: Actor; source: Source; creates_groups: boolean },
): Promise<BatchPreview> {
  const { deps, request } = ctx
  const { account_kid } = to
  const table = await tableOf(ctx, 'terminal_registered', source)
  const week = await weekOfAccount(deps.db, account_kid, deps.clock.now())
  if (table.week !== undefined && table.week !== week) refuse('sheet_of_another_week', { week: table.week })
  const paths = await readPaths(to)
  const of_groups = groupFaults(paths, table.rows)
  await judgeRows(deps, { account_kid, week }, table.rows)
  const missing_groups = creates_groups ? newGroups(paths, table.rows) : []
  for (const [row, fault] of of_groups) row.faults.push(fault)
  const { left } = await seeRoom(deps, account_kid)
  return { ...told(table, 'terminal_registered', request.language), room: left, missing_groups }
}

/** What importing it would say. */
export async function previewImport(
  ctx: Ctx,
  { policy_kid, source, ...given }: { policy_kid: string; source: PolicySource } & Source,
): Promise<PolicyPreview> {
  const kind = `policy_${source}` as const
  const table = await tableOf(ctx, kind, given)
  for (const some of soundChunks(table.rows)) {
    const there = await onPolicy(
      ctx.scope,
      policy_kid,
      some.map(({ sn }) => sn),
    )
    for (const row of some) if (there.has(row.sn)) row.faults.push({ name: 'policy_has_device' })
  }
  return told(table, kind, ctx.request.language)
}

async function tableOf(ctx: Ctx, kind: SheetKind, { upload_kid, rows }: Source): Promise<ReadTable> {
  const { deps, scope, user, request } = ctx
  if (rows) return { rows: readGiven(rows, kind), unknown_columns: [], sheet: null, other_sheets: [], week: undefined }
  // Before anything is waited for: they may leave at once.
  const by = requesterOf(ctx)
  const { object, size } = await wholeUpload(deps, scope, user.kid, upload_kid!)
  if (size > batch_limits.sheet_bytes) refuse('file_too_large', { max: bytesText(batch_limits.sheet_bytes) })
  const { language } = request
  return inWorker(deps, 'table', { kind, language }, objectSource(deps.objects, object, size), by)
}

/** The table as it goes out: the columns of its kind, and the messages of what is wrong. */
function told({ rows, unknown_columns, sheet, other_sheets }: ReadTable, kind: SheetKind, language: Language) {
  const { columns } = layouts[kind]
  const bad = rows.filter(({ faults }) => faults.length > 0).length
  return {
    rows: rows.map(({ faults, row, ...fields }) => ({
      row,
      ...(Object.fromEntries(columns.map((column) => [column, fields[column]])) as typeof fields),
      ...(faults.length > 0 && {
        faults: faults.map((fault) => ({ result: errors[fault.name].result, message: messageOf(fault, language) })),
      }),
    })),
    good: rows.length - bad,
    bad,
    ...{ unknown_columns, sheet, other_sheets },
  }
}

/** Rows that have nothing wrong with them by themselves, as many as are asked about at once. */
function* soundChunks(rows: readonly ReadRow[]): Generator<ReadRow[]> {
  const sound = rows.filter(({ faults }) => faults.length === 0)
  for (let from = 0; from < sound.length; from += judged_at_once) yield sound.slice(from, from + judged_at_once)
}

/** Adds what the database knows against them, in the end that there is no room. */
async function judgeRows(deps: Deps, to: Week, rows: readonly ReadRow[]): Promise<void> {
  let { left, refusal } = await seeRoom(deps, to.account_kid)
  for (const some of soundChunks(rows)) {
    const judgement = await judge(deps.db, deps, to, some)
    for (const row of some) {
      const found = judgement.get(row.sn)
      if (typeof found === 'string') row.faults.push(refusedAs(found, row))
      else if ((left -= 1) < 0) row.faults.push({ name: refusal })
    }
  }
}
