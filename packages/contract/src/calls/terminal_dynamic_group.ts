import * as z from 'zod'
import { group, read, withinGroups, write } from '../kit.ts'
import { ByKid, Count, Done, Kid, Line, QueryBool, text } from '../wire.ts'
import { Where } from './terminal_filter.ts'

export const dynamic_groups_max = 50
const Draft = z.object({ name: Line(64, 1), where: Where })

export const TerminalDynamicGroup = Draft.extend({
  kid: Kid,
  count: Count.optional().describe('devices in it now'),
  count_is_exact: z.boolean().optional().describe('false: there are more'),
})
export type TerminalDynamicGroup = z.output<typeof TerminalDynamicGroup>

const group_title = text('Dynamic groups', 'Nhóm động', '动态分组')
export const terminalDynamicGroup = group(withinGroups('terminal_dynamic_group'), group_title, {
  list: read('GET', {
    needs: 'deviceList',
    title: text('List dynamic groups', 'Danh sách nhóm động', '动态分组列表'),
    input: z.object({ with_counts: QueryBool.default(false) }),
    output: z.array(TerminalDynamicGroup).describe('by name'),
  }),
  insert: write('POST', {
    needs: 'deviceList:group',
    title: text('Create a dynamic group', 'Tạo nhóm động', '新建动态分组'),
    input: Draft,
    output: TerminalDynamicGroup,
    errors: ['duplicate_name', 'dynamic_group_limit'],
  }),
  update: write('POST', {
    needs: 'deviceList:group',
    limited: 'refused',
    title: text('Edit a dynamic group', 'Sửa nhóm động', '编辑动态分组'),
    input: Draft.extend({ kid: Kid }),
    output: TerminalDynamicGroup,
    errors: ['duplicate_name'],
  }),
  delete: write('POST', {
    needs: 'deviceList:group',
    limited: 'refused',
    title: text('Delete a dynamic group', 'Xóa nhóm động', '删除动态分组'),
    input: ByKid,
    output: Done,
    works_on_full_disk: true,
  }),
})
