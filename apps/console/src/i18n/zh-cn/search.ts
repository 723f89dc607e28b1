import type { texts as english } from '../en/search.ts'
import type { Translated } from '../resources.ts'

export const texts: Translated<typeof english> = {
  title: '设备搜索',
  search: 'SN、别名或 IMEI',
  search_account: '客户名称',
  empty: '还没有设备',
  empty_hint: '所有客户的设备注册后都可以在这里找到。',
  column: {
    sn: 'SN',
    account: '客户',
    name: '别名',
    imei: 'IMEI',
    model: '型号',
    os: '系统版本',
    last_contact: '最近联系',
    registered_at: '注册时间',
  },
  now: '刚刚',
  never: '从未',
  open: '打开',
  open_of: '进入 {{name}} 并打开 {{sn}}',
  entered: '您现在代表 {{name}} 操作，所有操作都会以您的名义记录在该账号中。',
  why_not: {
    permission: '您没有进入客户账号或打开设备的权限。',
    account: '该客户已停用或已过期，无法进入。',
  },
}
