import type { texts as english } from '../en/external-user.ts'
import type { Translated } from '../resources.ts'

export const texts: Translated<typeof english> = {
  title: '外部用户',
  search: '名称、组织或登录名',
  empty: '还没有客户',
  empty_hint: '客户及其子账号会显示在这里。',
  column: {
    name: '客户',
    username: '登录名',
    type: '类型',
    devices: '设备',
    expires: '到期时间',
    last_use: '最近使用',
    fae: '技术支持',
  },
  type: { account: '客户', sub_account: '子账号' },
  state: { normal: '正常', init: '未激活', invalid: '无效' },
  unlimited: '不限',
  quota: '{{name}}：{{count}} / {{max}} 台设备',
  no_expiry: '永久有效',
  never: '从未',
  expires_other: '剩余 {{shown}} 天',
  expired_other: '已过期 {{shown}} 天',
  enter: {
    button: '进入',
    button_of: '进入 {{name}}',
    title: '进入 {{name}}？',
    submit: '进入 {{name}}',
    what: '此后您的所有操作都在账号 {{name}} 中进行，并以您的名义记录，直到您返回。',
  },
  why_not: {
    init: '该账号尚未激活。',
    invalid: '该账号无效，无法访问。',
    expired: '该账号已过期，无法访问。',
    other: '该账号或其上级账号已过期或无效。',
  },
}
