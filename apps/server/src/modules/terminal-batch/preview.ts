import { batch_limits, errors } from '@mdm/contract'
import type { BatchPreview, Language } from '@mdm/contract'
import { buffer } from 'node:stream/consumers'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Deps } from '../../deps.ts'
import { wholeUpload } from '../../files/own-upload.ts'
import { refuse } from '../../http/context.ts'
import { bytesText } from '../../lib/bytes.ts'
import { judge, seeRoom } from '../enrolment/service.ts'
import { messageOf } from './faults.ts'
import { readTable } from './sheet.ts'
import type { ReadRow } from './sheet.ts'
import { weekOf, zoneOfAccount } from './week.ts'

type Asked = { upload_kid: string; account_kid: string; user_kid: string; language: Language }
const judged_at_once = 1_000

/** What registering an uploaded sheet would say of every row. Nothing is registered; wrong codes count as wrong. */
export async function preview(deps: Deps, scope: Kysely<Tables>, asked: Asked): Promise<BatchPreview> {
  const { language, account_kid } = asked
  const { object, size } = await wholeUpload(deps, scope, asked.user_kid, asked.upload_kid)
  if (size > batch_limits.sheet_bytes) refuse('file_too_large', { max: bytesText(batch_limits.sheet_bytes) })
  const table = await readTable(await buffer(await deps.objects.read(object)), language)
  if (table.week !== undefined) {
    const zone = await zoneOfAccount(deps.db, account_kid)
    if (table.week !== weekOf(deps.clock.now(), zone)) refuse('sheet_of_another_week', { week: table.week })
  }
  await judgeRows(deps, account_kid, table.rows)
  const { left } = await seeRoom(deps.db, account_kid)
  const bad = table.rows.filter(({ faults }) => faults.length > 0).length
  return {
    rows: table.rows.map(
      ({ faults, ...row }) =>
      faults.length === 0
        ? row
        : { ...row, faults: faults.map((fault) => ({ result: errors[fault.name].result, message: messageOf(fault, language) })) }, // prettier-ignore
    ),
    good: table.rows.length - bad,
    bad,
    room: left,
    unknown_columns: table.unknown_columns,
  }
}

/** Adds what the database knows against rows that have nothing wrong with them, in the end that there is no room. */
async function judgeRows(deps: Deps, account_kid: string, rows: readonly ReadRow[]): Promise<void> {
  const sound = rows.filter(({ faults }) => faults.length === 0)
  let { left, refusal } = await seeRoom(deps.db, account_kid)
  for (let from = 0; from < sound.length; from += judged_at_once) {
    const some = sound.slice(from, from + judged_at_once)
    const judgement = await judge(deps.db, deps, some)
    for (const row of some) {
      const found = judgement.get(row.sn)
      if (typeof found === 'string') row.faults.push({ name: found })
      else if ((left -= 1) < 0) row.faults.push({ name: refusal })
    }
  }
}
