import { permissions } from '@mdm/contract'
import { expect, test } from 'vitest'
import { ownGrantable } from './grantable.ts'

const of = (held: readonly string[], is_ops: boolean) => ownGrantable(held, is_ops)
const granted = (held: readonly string[], is_ops: boolean) =>
  of(held, is_ops).flatMap(({ permission, may_grant }) => (permission && may_grant ? [permission] : []))

test('whoever of the provider holds everything may put every permission there is into a token', () => {
  expect(granted(['*'], true).sort()).toEqual([...permissions].sort())
})

test('a customer is not offered what only the provider can use', () => {
  const names = granted(['*'], false)
  expect(names).toContain('deviceList:register')
  expect(names).toContain('homeIndex')
  expect(names).not.toContain('externalUserManageList')
  expect(names).not.toContain('externalUserManageList:enter')
})

test('a token cannot have a permission that is not held, and the page of a held operation is there without being grantable', () => {
  expect(of(['deviceList:register', 'fileCloud*'], false)).toEqual([
    expect.objectContaining({
      type: 'group',
      permission: null,
      name: expect.objectContaining({ vi: 'Thiết bị' }),
    }),
    expect.objectContaining({ type: 'group', permission: null }),
    expect.objectContaining({ code: 'deviceList', type: 'page', may_grant: false }),
    expect.objectContaining({ code: 'fileCloudList', type: 'page', may_grant: true }),
    expect.objectContaining({ code: 'fileCloudAdd', type: 'page', may_grant: true }),
    expect.objectContaining({ code: 'fileCloudEdit', type: 'page', may_grant: true }),
    expect.objectContaining({ code: 'fileCloudPush', type: 'page', may_grant: true }),
    expect.objectContaining({ code: 'deviceList:register', parent_code: 'deviceList', may_grant: true }),
    expect.objectContaining({ code: 'fileCloudList:delete', parent_code: 'fileCloudList' }),
    expect.objectContaining({ code: 'fileCloudPush:push', parent_code: 'fileCloudPush' }),
  ])
})

test('every entry stands below one that is there before it, or at the top', () => {
  const seen = new Set<string>()
  for (const { code, parent_code } of of(['*'], true)) {
    if (parent_code !== null) expect(seen).toContain(parent_code)
    expect(seen).not.toContain(code)
    seen.add(code)
  }
})
