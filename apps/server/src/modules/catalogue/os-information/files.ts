import {
  capitalised,
  columnsOf,
  contract,
  errorMessage,
  fieldFaultsOf,
  fieldMessage,
  information_limits,
  informationColumns,
  informationList,
  inSentence,
} from '@mdm/contract'
import type { FileReply, InformationColumn, InformationName, InformationPreview, Language } from '@mdm/contract'
import { objectSource } from '../../../files/object-store.ts'
import { wholeUpload } from '../../../files/own-upload.ts'
import type { Ctx } from '../../../http/context.ts'
import { bytesText } from '../../../lib/bytes.ts'
import { sheetStream } from '../../../workers/sheet.ts'
import type { Cell } from '../../../workers/sheet.ts'
import { refuse } from '../../../refusal.ts'
import { inWorker, requesterOf } from '../../../workers/service.ts'
import { taken } from './service.ts'
import type { ReadRow } from './sheet.ts'

type Shown = InformationPreview['rows'][number]
type Taken = { codes: Set<string>; names: Set<string> }

/** What importing an uploaded sheet would say of every row. Nothing is imported. */
export async function preview(ctx: Ctx, list: InformationName, upload_kid: string): Promise<InformationPreview> {
  const { deps, scope, user, request } = ctx
  // Before anything is waited for: they may leave at once.
  const by = requesterOf(ctx)
  const { object, size } = await wholeUpload(deps, scope, user.kid, upload_kid)
  if (size > information_limits.sheet_bytes)
    refuse('file_too_large', { max: bytesText(information_limits.sheet_bytes) })
  const { language } = request
  const read = await inWorker(deps, 'information', { list, language }, objectSource(deps.objects, object, size), by)
  const rows = await judged(ctx, list, read.rows)
  const bad = rows.filter(({ faults }) => faults.length > 0).length
  return { rows, good: rows.length - bad, bad, unknown_columns: read.unknown_columns }
}

/** The contract's call to add one row decides what a row may be. */
const draftOf = (list: InformationName) =>
  Object.values(contract)
    .flatMap((group) => Object.values(group.calls))
    .find(({ path }) => path === `ops/${list}/insert`)!.input

async function judged(ctx: Ctx, list: InformationName, rows: readonly ReadRow[]): Promise<Shown[]> {
  const { language } = ctx.request
  const all = (column: 'code' | 'name') => rows.flatMap(({ values }) => values[column] || [])
  const there = await taken(ctx, list, { codes: all('code'), names: all('name') })
  const before: Taken = { codes: new Set(), names: new Set() }
  const draft = draftOf(list)
  return rows.map(({ row, values, faults: ofCells }) => {
    const unreadable = new Set<string>(ofCells.map(({ column }) => column))
    const faults: Shown['faults'] = ofCells.map(({ column, name }) => ({
      field: column,
      message: errorMessage(name, language, { column: informationColumns[column][language], value: '' }),
    }))
    const parsed = draft.safeParse(values)
    if (!parsed.success)
      // The pattern itself is for programs.
      for (const [field, { pattern: _, ...fault }] of Object.entries(fieldFaultsOf(parsed.error, values)))
        if (!unreadable.has(field))
          faults.push({ field, message: `${titleOf(field, language)}: ${fieldMessage(fault, language)}` })
    for (const [field, of, name] of [
      ['code', 'codes', 'duplicate_code'],
      ['name', 'names', 'duplicate_name'],
    ] as const) {
      const value = values[field]?.toLowerCase()
      if (!value) continue
      if (there[of].has(value) || before[of].has(value)) faults.push({ field, message: errorMessage(name, language) })
      before[of].add(value)
    }
    return { code: '', name: '', remark: '', ...values, row, faults }
  })
}

const titleOf = (field: string, language: Language): string =>
  informationColumns[field as InformationColumn]?.[language] ?? field

const prepared_rows = information_limits.import_rows
/** An empty sheet whose columns are text, so that no code 01 becomes a number. */
export function templateFile(name: InformationName, language: Language): FileReply {
  const list = informationList(name)
  const titles = columnsOf(list).map((column) => informationColumns[column][language])
  const rows = (async function* (): AsyncGenerator<Cell[][]> {
    yield Array.from({ length: prepared_rows }, () => titles.map(() => null))
  })()
  const file = inSentence(capitalised(list.many), '{} template', 'Mẫu {}', '{}模板')[language]
  return {
    name: `${file}.xlsx`,
    body: sheetStream({ format: 'xlsx', name: capitalised(list.many)[language], titles, rows, text_width: 26 }),
  }
}
