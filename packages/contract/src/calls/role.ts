import * as z from 'zod'
import { group, ofProvider, read, withinGroups, write } from '../kit.ts'
import type { Permission } from '../permissions.ts'
import { ByKid, Count, Done, edited, Exists, Instant, Kid, Line, Nothing, text, shaped } from '../wire.ts'
import { listGrantable, Permissions } from './people.ts'

/** "Role code: letters only" (specification, 5). */
const Code = z
  .string()
  .trim()
  .regex(...shaped('role_code', /^[A-Za-z]{1,32}$/))
/** The administrator's own weight is 1000; everyone makes roles below the own. */
const Weight = z.number().int().min(1).max(999)

export const Role = z.object({
  kid: Kid,
  parent_kid: Kid.nullable(),
  code: z.string(),
  name: z.string(),
  weight: z.number().int(),
  remark: z.string(),
  permissions: z.array(z.string()).describe('names and patterns'),
  user_count: Count,
  has_child: z.boolean(),
  is_admin: z.boolean().describe('the root of the tree, which holds whatever any role of the account holds'),
  created_at: Instant,
  updated_at: Instant,
  can: z
    .array(z.enum(['edit', 'delete', 'grant', 'add_child', 'assign']))
    .describe('what the caller may do with this role now; assign: give it to somebody'),
})
export type Role = z.output<typeof Role>

const Draft = z.object({
  code: Code,
  name: Line(64, 1),
  weight: Weight,
  remark: Line(200).default(''),
  parent_kid: Kid,
})

const rows = <L extends Permission, W extends Permission, D extends Permission>(list: L, edit: W, remove: D) => ({
  list: read('GET', {
    needs: list,
    title: text('List roles', 'Danh sách vai trò', '角色列表'),
    input: Nothing,
    output: z.array(Role).describe('the whole tree, parents before children, siblings by weight'),
  }),
  get: read('GET', {
    needs: list,
    title: text('Read a role', 'Đọc vai trò', '读取角色'),
    input: ByKid,
    output: Role,
  }),
  list_grantable: read('GET', { needs: list, ...listGrantable }),
  exists: read('GET', {
    needs: list,
    title: text('Check a role', 'Kiểm tra vai trò', '检查角色'),
    input: z.object({ code: Line(64).optional(), name: Line(64).optional(), src_kid: Kid.optional() }),
    output: Exists,
  }),
  insert: write('POST', {
    needs: edit,
    title: text('Create a role', 'Tạo vai trò', '新建角色'),
    input: Draft.extend({ permissions: Permissions.default([]) }),
    output: ByKid,
    errors: ['duplicate_role', 'duplicate_name', 'role_unknown', 'role_weight', 'role_beyond_own'],
    tells: 'role.changed',
  }),
  update: write('POST', {
    needs: edit,
    title: text('Edit a role', 'Sửa vai trò', '编辑角色'),
    input: edited(Draft).extend({ kid: Kid }),
    output: Done,
    errors: ['duplicate_role', 'duplicate_name', 'role_unknown', 'role_weight', 'role_into_itself', 'own_account'],
    tells: 'role.changed',
  }),
  save_permissions: write('POST', {
    needs: edit,
    title: text('Save the permissions of a role', 'Lưu quyền của vai trò', '保存角色权限'),
    input: z.object({ kid: Kid, permissions: Permissions }),
    output: Done,
    errors: ['role_weight', 'role_beyond_own', 'own_account'],
    tells: 'role.changed',
  }),
  delete: write('POST', {
    needs: remove,
    title: text('Delete a role', 'Xóa vai trò', '删除角色'),
    input: ByKid,
    output: Done,
    errors: ['role_weight', 'role_in_use', 'role_has_children', 'own_account'],
    works_on_full_disk: true,
    tells: 'role.changed',
  }),
})

/** Roles of the account acted for. */
export const role = group(
  withinGroups('role'),
  text('User roles', 'Vai trò người dùng', '用户角色'),
  rows('userRoleManageList', 'userRoleManageList:edit', 'userRoleManageList:delete'),
)
/** Roles of the provider's own people. */
export const opsRole = group(
  ofProvider('ops/role'),
  text('Internal roles', 'Vai trò nội bộ', '内部角色'),
  rows('insideRoleManageList', 'insideRoleManageList:edit', 'insideRoleManageList:delete'),
)
