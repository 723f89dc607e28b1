import { groupPath, serialNumber } from '@mdm/contract'
import type { BatchColumn } from '@mdm/contract'
import type { Tables } from '../../../../db/schema/tables.ts'

export type SheetKind = Tables['batch_job']['kind']
/** What a row of any kind of sheet says; empty where its kind has no such column. */
export type Fields = Record<BatchColumn, string>
export type Layout = { columns: readonly BatchColumn[]; required: readonly BatchColumn[] }

/** Columns of each kind of sheet, in the order in which our own files have them. */
export const layouts: Record<SheetKind, Layout> = {
  terminal_registered: {
    columns: ['sn', 'work_order', 'verification_code', 'name', 'group_path'],
    required: ['sn', 'work_order', 'verification_code'],
  },
  policy_sheet: { columns: ['sn', 'work_order'], required: ['sn', 'work_order'] },
  policy_mes: {
    columns: ['sn', 'work_order', 'production_date'],
    required: ['sn', 'work_order', 'production_date'],
  },
}

/** The fields of a row as they are kept: none is absent, days are written in one way. */
export function fieldsOf(row: Partial<Fields>): Fields {
  const { sn = '', work_order = '', verification_code = '', name = '', production_date = '', group_path = '' } = row
  return {
    ...{ sn: serialNumber(sn), work_order, verification_code, name },
    ...{ production_date: written(production_date), group_path: groupPath(group_path) },
  }
}

/** 2026/1/31, 2026.01.31 and 20260131 are 2026-01-31; anything else is left as it is. */
function written(day: string): string {
  const [, year, month = '', date = ''] =
    /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(day.trim()) ?? /^(\d{4})(\d\d)(\d\d)$/.exec(day.trim()) ?? []
  return year === undefined ? day : `${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`
}

/** Whether there is such a day, within years in which devices are made. */
export function isDay(day: string): boolean {
  if (!/^20\d\d-\d\d-\d\d$/.test(day)) return false
  const at = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day)
}
