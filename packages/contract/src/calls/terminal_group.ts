import * as z from 'zod'
import { group, read, withinGroups, write } from '../kit.ts'
import { ByKid, Count, Done, Exists, Kid, Line, QueryBool, text } from '../wire.ts'

export const TerminalGroup = z.object({
  kid: z.union([Kid, z.literal('NO_GROUP')]),
  name: z.string(),
  parent_kid: Kid.nullable(),
  is_no_group: z.boolean(),
  has_child: z.boolean(),
  terminal_count: Count.describe('devices directly in this group'),
  total_count: Count.describe('devices in this group and every group below it'),
})
export type TerminalGroup = z.output<typeof TerminalGroup>
export type TerminalGroupNode = TerminalGroup & { children: TerminalGroupNode[] }
export const TerminalGroupNode: z.ZodType<TerminalGroupNode, TerminalGroupNode> = TerminalGroup.extend({
  get children() {
    return z.array(TerminalGroupNode)
  },
}) as never

const ParentKid = z.union([Kid, z.literal('ROOT')])
const Name = Line(64, 1)

export const terminalGroup = group(withinGroups('terminal_group'), text('Device groups', 'Nhóm thiết bị', '设备分组'), {
  list: read('GET', {
    needs: 'deviceList',
    title: text('List device groups', 'Danh sách nhóm thiết bị', '设备分组列表'),
    input: z.object({
      parent_kid: z
        .union([Kid, z.literal('ROOT'), z.literal('ALL')])
        .default('ALL')
        .describe('ALL lists every group'),
      is_no_group: QueryBool.optional().describe('also the NO_GROUP entry'),
      is_child: QueryBool.optional().describe('with a parent_kid: the whole subtree instead of direct children'),
    }),
    output: z.array(TerminalGroup).describe('parents before children, siblings by name'),
  }),
  list_with_child: read('GET', {
    needs: 'deviceList',
    title: text('Read the group tree', 'Đọc cây nhóm', '读取分组树'),
    input: z.object({ parent_kid: ParentKid.default('ROOT') }),
    output: z.array(TerminalGroupNode),
  }),
  get: read('GET', {
    needs: 'deviceList',
    title: text('Read a device group', 'Đọc nhóm thiết bị', '读取设备分组'),
    input: ByKid,
    output: TerminalGroup,
  }),
  exists: read('GET', {
    needs: 'deviceList',
    title: text('Check a group name', 'Kiểm tra tên nhóm', '检查分组名称'),
    input: z.object({
      name: Name,
      parent_kid: ParentKid.optional().describe('when absent: where src_kid stands, ROOT without one'),
      src_kid: Kid.optional().describe('the group being renamed, which does not count'),
    }),
    output: Exists,
  }),
  insert: write('POST', {
    needs: 'deviceList:group',
    title: text('Create a device group', 'Tạo nhóm thiết bị', '新建设备分组'),
    input: z.object({ name: Name, parent_kid: ParentKid.default('ROOT') }),
    output: TerminalGroup,
    errors: ['group_name_taken', 'group_too_deep', 'group_unknown'],
  }),
  update: write('POST', {
    needs: 'deviceList:group',
    title: text('Rename a device group', 'Đổi tên nhóm thiết bị', '重命名设备分组'),
    input: z.object({ kid: Kid, name: Name }),
    output: TerminalGroup,
    errors: ['group_name_taken'],
  }),
  move: write('GET', {
    needs: 'deviceList:group',
    title: text('Move a device group', 'Di chuyển nhóm thiết bị', '移动设备分组'),
    input: z.object({ kid: Kid, target_parent_kid: ParentKid }),
    output: TerminalGroup,
    errors: ['group_name_taken', 'group_too_deep', 'group_into_itself', 'group_unknown'],
    destroys: () => true,
  }),
  delete: write('GET', {
    needs: 'deviceList:group',
    title: text('Delete a device group', 'Xóa nhóm thiết bị', '删除设备分组'),
    input: ByKid,
    output: Done,
    errors: ['group_name_taken', 'delete_failed'],
    destroys: () => true,
    works_on_full_disk: true,
  }),
})

export const terminalGroupUserManaged = group(
  withinGroups('terminal_group_user_manged'),
  text('Managed groups', 'Nhóm được quản lý', '可管理分组'),
  {
    list_group_kid: read('GET', {
      needs: 'deviceList',
      title: text('List the groups a user may manage', 'Danh sách nhóm người dùng được quản lý', '用户可管理的分组'),
      input: z.object({ user_kid: Kid }),
      output: z.object({ is_limited: z.boolean(), group_kids: z.array(Kid) }),
    }),
  },
)
