import { contract } from '@mdm/contract'
import type { Call, TerminalRow } from '@mdm/contract'
import { expect, test } from 'vitest'
import { fileColumns, fileName, rowFields } from './list-export.ts'
import type { Column } from './ListPage.tsx'

const { paging, get } = contract.terminal.calls
const fields = rowFields(paging)

test('every call that answers rows page by page has fields, so has one that answers them at once, no other call has', () => {
  for (const { calls } of Object.values(contract))
    for (const call of Object.values(calls) as Call[])
      if ('after' in ((call.input as { shape?: object }).shape ?? {}))
        expect([call.path, rowFields(call).size]).not.toEqual([call.path, 0])
  expect(rowFields(contract.webhook.calls.list).has('url')).toBe(true)
  expect(rowFields(get).size).toBe(0)
  expect(rowFields(contract.account.calls.preferences).size).toBe(0)
  expect(fields.has('battery_level')).toBe(true)
})

test('a column is the field of its own name, or what it says; buttons are nothing', () => {
  const columns: Column<TerminalRow>[] = [
    { key: 'sn', title: 'SN' },
    { key: 'is_online', title: 'State', export: { labels: { true: 'Online' } } },
    { key: 'group', title: 'Group', export: { key: 'terminal_group_name' } },
    { key: 'os_version', title: 'System', export: [{ key: 'os_name' }, { title: 'Version' }] },
    { key: 'name', title: 'Alias', export: false },
    { key: 'actions', title: 'Actions' },
  ]
  expect(fileColumns(columns, fields)).toEqual([
    { key: 'sn', title: 'SN' },
    { key: 'is_online', title: 'State', words: { true: 'Online' } },
    { key: 'terminal_group_name', title: 'Group' },
    { key: 'os_name', title: 'System' },
    { key: 'os_version', title: 'Version' },
  ])
  expect(fileColumns(columns, rowFields(get))).toEqual([])
})

test('whatever a list is called and has, the server takes it', () => {
  const long = 'x'.repeat(200)
  const columns = Array.from({ length: 70 }, () => ({ key: 'sn', title: long }))
  const request = { path: paging.path, input: {}, format: 'csv', zone_id: 'UTC' }
  const asked = {
    ...request,
    name: fileName(long, 'Online', ['2026/01/31', '14:05:59']),
    columns: fileColumns(columns, fields),
  }
  expect(contract.listExport.calls.insert.input.safeParse(asked).error).toBeUndefined()
  expect(asked.name.endsWith(' 2026-01-31 14-05-59')).toBe(true)
})

test('a file is named after what it lists, how it is filtered and when', () => {
  const at = ['2026/01/31', '14:05:59'] as const
  expect(fileName('Devices', '', at)).toBe('Devices 2026-01-31 14-05-59')
  expect(fileName('Devices', 'Online, 20 – 40 %', at)).toBe('Devices Online, 20 – 40 % 2026-01-31 14-05-59')
  expect(fileName('Devices', 'a/b: "c"\n<d>', at)).toBe('Devices a b c d 2026-01-31 14-05-59')
})
