import type { texts as english } from './en.ts'
import type { Translated } from '../../../i18n/resources.ts'

export const texts: Translated<typeof english> = {
  search: 'SN、别名或 IMEI',
  search_account: '客户名称',
  empty: '还没有设备',
  empty_hint: '所有客户的设备注册后都可以在这里找到。',
  view: { label: '搜索范围', devices: '设备', scrapped: '已报废' },
  scrapped: {
    search: 'SN 或别名',
    empty: '没有已报废的设备',
    empty_hint: '客户报废的设备可以在这里找到，并可恢复使用。',
    at: '报废时间',
    by: '操作人',
    restore: '撤销报废',
    restore_of: '撤销报废 {{sn}}',
    title_other: '撤销 {{count}} 台设备的报废？',
    submit_other: '恢复 {{count}} 台设备',
    text: '这些 SN 可以由任何客户重新注册，设备不会自动回到原账号。',
    done_other: '{{count}} 个 SN 可以重新注册',
  },
  column: {
    sn: 'SN',
    account: '客户',
    name: '别名',
    imei: 'IMEI',
    model: '型号',
    os: '系统版本',
    last_contact: '最近通信',
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
