import { errors } from '@mdm/contract'
import { describe, expect, it } from 'vitest'
import { rowsToCheck, withChecked, withGroups } from './mending.ts'
import type { Preview, PreviewRow } from './sides.ts'

const fault = (name: 'row_sn_repeated' | 'row_group_unknown' | 'device_unknown') => ({
  result: errors[name].result,
  message: name,
})
const previewOf = (rows: PreviewRow[], missing_groups: string[] = []): Preview => {
  const bad = rows.filter(({ faults }) => faults).length
  return {
    ...{ rows, bad, good: rows.length - bad, missing_groups },
    ...{ unknown_columns: ['Remark'], sheet: 'Devices', other_sheets: ['Notes'], room: 9 },
  }
}
const rowNumbers = (rows: readonly PreviewRow[]) => rows.map(({ row }) => row)

describe('cells that are mended', () => {
  const rows: PreviewRow[] = [
    { row: 2, sn: 'A' },
    { row: 3, sn: 'B' },
    { row: 4, sn: 'A', faults: [fault('row_sn_repeated')] },
    { row: 5, sn: 'C' },
  ]

  it('are checked with all rows of the SNs that they had and have', () => {
    expect(rowNumbers(rowsToCheck(previewOf(rows), new Map([[4, { sn: ' c ' }]])))).toEqual([2, 4, 5])
    expect(rowNumbers(rowsToCheck(previewOf(rows), new Map([[3, { name: 'Till' }]])))).toEqual([3])
    expect(rowsToCheck(previewOf(rows), new Map([[3, { name: 'Till' }]]))[0]).toMatchObject({ sn: 'B', name: 'Till' })
  })

  it('take their place in the preview, which keeps what it said of the file', () => {
    const checked = { ...previewOf([{ row: 4, sn: 'D' }]), room: 7, sheet: null, other_sheets: [], unknown_columns: [] }
    expect(withChecked(previewOf(rows), checked)).toMatchObject({
      ...{ good: 4, bad: 0, room: 7, sheet: 'Devices', other_sheets: ['Notes'], unknown_columns: ['Remark'] },
      rows: [rows[0], rows[1], { row: 4, sn: 'D' }, rows[3]],
    })
  })

  it('name groups that are missing as long as a row has them', () => {
    const was = previewOf([{ row: 2, sn: 'A', group_path: 'North', faults: [fault('row_group_unknown')] }], ['North'])
    const checked = previewOf(
      [{ row: 2, sn: 'A', group_path: 'South', faults: [fault('row_group_unknown')] }],
      ['South'],
    )
    expect(withChecked(was, checked).missing_groups).toEqual(['South'])
  })
})

it('rows whose group will be created have nothing wrong but what else is', () => {
  const unknown = fault('row_group_unknown')
  const rows: PreviewRow[] = [
    { row: 2, sn: 'A', group_path: 'North', faults: [unknown] },
    { row: 3, sn: 'B', group_path: 'North', faults: [fault('device_unknown'), unknown] },
    { row: 4, sn: 'C', group_path: 'Too/far', faults: [unknown] },
  ]
  const { good, bad, rows: left } = withGroups(previewOf(rows, ['North']))
  expect([good, bad, left.map(({ faults }) => faults?.length)]).toEqual([1, 2, [undefined, 1, 1]])
})
