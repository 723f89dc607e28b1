import * as z from 'zod'
import { group, ofProvider, read, write } from '../kit.ts'
import { ByKid, Done, edited, Exists, Kid, Line, Nothing, text, shaped } from '../wire.ts'

export const MenuNode = z.object({
  kid: Kid,
  p_id: Kid.nullable(),
  code: z.string().describe('key of the screen or button this entry stands for'),
  name: z.object({ en: z.string(), vi: z.string(), 'zh-cn': z.string() }),
  access_code: z.string().nullable().describe('permission that shows the entry'),
  type: z.enum(['module', 'group', 'page', 'operation']),
  path: z.string().nullable().describe('screen path, or an address that opens in a new tab'),
  icon: z.string().nullable(),
  visible: z.number().int().describe('1 is shown'),
  end_type: z.union([z.literal(1), z.literal(2)]).describe('1 client side, 2 operator side'),
  sort: z.number().int(),
  remind: z.string().describe('hint that is shown beside the entry; empty is none'),
})
export type MenuNode = z.output<typeof MenuNode>

export const menuTree = group('menu_tree', text('Menus', 'Menu', '菜单'), {
  list: read('GET', {
    needs: 'signed_in',
    title: text('List menu entries', 'Danh sách menu', '菜单列表'),
    input: z.object({ p_id: z.union([Kid, z.literal('ROOT')]).default('ROOT') }),
    output: z.array(MenuNode).describe('every entry below p_id that the caller may see, parents before children'),
  }),
})

export const MenuEntry = MenuNode.extend({
  end: z.enum(['web']).describe('the client that shows the entry'),
  encoding: z.string().describe('its place in the tree: 02.01.03 is the third below the first below the second'),
  is_seeded: z.boolean().describe('delivered with the product: its code, path and permission stay as they are'),
  has_child: z.boolean(),
})
export type MenuEntry = z.output<typeof MenuEntry>
const Name = z.object({ en: Line(64, 1), vi: Line(64, 1), 'zh-cn': Line(64, 1) })
const Path = z
  .string()
  .trim()
  .max(500)
  .regex(...shaped('menu_path', /^(\/[A-Za-z0-9/_-]*|https?:\/\/[^\s"'<>]+)$/))
/** An empty field of a form is none. */
const Blank = z.literal('').transform(() => null)
const Draft = z.object({
  p_id: z.union([Kid, z.literal('ROOT')]).default('ROOT'),
  code: z
    .string()
    .trim()
    .regex(...shaped('menu_code', /^[A-Za-z][A-Za-z0-9:_-]{0,79}$/)),
  name: Name,
  access_code: z
    .union([Line(80, 1), Blank, z.null()])
    .default(null)
    .describe('an existing permission, a pattern that covers one, or null: everyone sees it; no call is granted by it'),
  type: z.enum(['module', 'group', 'page', 'operation']),
  path: z.union([Path, Blank, z.null()]).default(null),
  icon: z.union([Line(40, 1), Blank, z.null()]).default(null),
  visible: z.union([z.literal(0), z.literal(1)]).default(1),
  end: z.enum(['web']).default('web'),
  end_type: z
    .union([z.literal(1), z.literal(2)])
    .describe('1 client side, 2 operator side; below another entry always the side of that one'),
  sort: z.number().int().min(0).max(1_000_000).optional().describe('absent: last among its siblings'),
  remind: Line(200).default(''),
})

/** The menu as the provider edits it. It decides what is shown, in which order and how it is called, never what a call may do. */
export const opsMenuTree = group(ofProvider('ops/menu_tree'), text('Menu tree', 'Cây menu', '菜单树'), {
  list: read('GET', {
    needs: 'menuTreeList',
    title: text('List the whole menu', 'Danh sách toàn bộ menu', '全部菜单'),
    input: Nothing,
    output: z.array(MenuEntry).describe('parents before children, siblings in their order'),
  }),
  get: read('GET', {
    needs: 'menuTreeList',
    title: text('Read a menu entry', 'Đọc mục menu', '读取菜单项'),
    input: ByKid,
    output: MenuEntry,
  }),
  exists: read('GET', {
    needs: 'menuTreeList',
    title: text('Check a menu code', 'Kiểm tra mã menu', '检查菜单代码'),
    input: z.object({ code: Line(80, 1), src_kid: Kid.optional() }),
    output: Exists,
  }),
  insert: write('POST', {
    needs: 'mdmManageMenuTreeAdd',
    title: text('Create a menu entry', 'Tạo mục menu', '新建菜单项'),
    input: Draft,
    output: ByKid,
    errors: ['duplicate_code', 'menu_under_operation', 'menu_does_not_fit', 'menu_parent_unknown'],
  }),
  update: write('POST', {
    needs: 'mdmManageMenuTreeEdit',
    title: text('Edit a menu entry', 'Sửa mục menu', '编辑菜单项'),
    input: edited(Draft).extend({ kid: Kid }),
    output: Done,
    errors: [
      'duplicate_code',
      'menu_under_operation',
      'menu_does_not_fit',
      'menu_parent_unknown',
      'menu_into_itself',
      'menu_is_delivered',
      'menu_has_children',
    ],
  }),
  move: write('POST', {
    needs: 'mdmManageMenuTreeEdit',
    title: text('Move a menu entry', 'Di chuyển mục menu', '移动菜单项'),
    input: z.object({
      kid: Kid,
      target_parent_kid: z.union([Kid, z.literal('ROOT')]),
      before_kid: Kid.nullable().default(null).describe('sibling to stand before; null is last'),
    }),
    output: Done,
    errors: ['menu_under_operation', 'menu_does_not_fit', 'menu_parent_unknown', 'menu_into_itself'],
  }),
  delete: write('GET', {
    needs: 'menuTreeList:delete',
    title: text('Delete a menu entry', 'Xóa mục menu', '删除菜单项'),
    input: ByKid,
    output: Done,
    errors: ['menu_has_children'],
    works_on_full_disk: true,
  }),
})
