import * as z from 'zod'
import { group, read } from '../kit.ts'
import { Kid, text } from '../wire.ts'

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
