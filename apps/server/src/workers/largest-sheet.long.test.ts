import { batch_limits, batchColumns } from '@mdm/contract'
import { writeOds } from 'hucre/ods'
import { writeXlsx } from 'hucre/xlsx'
import { expect, it } from 'vitest'
import type { Deps } from '../deps.ts'
import { inMemory } from '../lib/apk/source.ts'
import { layouts } from '../modules/fleet/terminal-batch/sheet/layouts.ts'
import { newMemory } from '../memory.ts'
import { inWorker } from './service.ts'

const { columns } = layouts.terminal_registered
const titles = columns.map((column) => batchColumns[column].en)
/** As long as each column may be, and no two alike. */
const lengths = {
  sn: 36,
  work_order: batch_limits.work_order,
  verification_code: batch_limits.verification_code,
  name: 36,
  production_date: 10,
  group_path: 40,
}
const rows = Array.from({ length: batch_limits.rows }, (_, n) =>
  columns.map((column) =>
    `${column.toUpperCase()}-${n}-`.padEnd(lengths[column], 'ABCDEFGHIJ').slice(0, lengths[column]),
  ),
)
const sheets = [{ name: 'S', rows: [titles, ...rows] }]
const makers: [string, () => Promise<Uint8Array>][] = [
  ['XLSX', () => writeXlsx({ sheets })],
  ['ODS', () => writeOds({ sheets })],
  ['CSV', async () => Buffer.from([titles, ...rows].map((row) => row.join(',')).join('\r\n'))],
]

it.each(makers)('the largest %s that is valid is read within the limits of its process', async (_, make) => {
  const bytes = Buffer.from(await make())
  expect(bytes.length).toBeLessThanOrEqual(batch_limits.sheet_bytes)
  const log = {
    warn: (told: object) => expect(told).toBeUndefined(),
    error: (told: object) => expect(told).toBeUndefined(),
  }
  const deps = { memory: newMemory(), log } as unknown as Deps
  const by = { account_kid: 'a', user_kid: 'u' }
  const table = await inWorker(deps, 'table', { kind: 'terminal_registered', language: 'en' }, inMemory(bytes), by)
  expect([table.rows.length, table.unknown_columns]).toEqual([batch_limits.rows, []])
  expect(columns.map((column) => table.rows.at(-1)![column])).toEqual(rows.at(-1))
  expect(table.rows.filter(({ faults }) => faults.length > 0)).toEqual([])
})
