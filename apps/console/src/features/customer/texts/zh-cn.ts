import type { texts as english } from './en.ts'
import type { Translated } from '../../../i18n/resources.ts'

export const texts: Translated<typeof english> = {
  search: '名称、组织或登录名',
  empty: '还没有客户',
  empty_hint: '请新建第一个客户，设置登录名、设备数量和有效期。',
  add: '新建客户',
  added: '客户已创建',
  edit_title: '编辑 {{name}}',
  save: '保存客户',
  saved: '客户已保存',
  column: {
    name: '客户',
    users: '用户账号',
    fae: '技术支持',
  },
  filter: {
    expires: '几天内到期',
  },
  users_of: '{{name}} 的用户账号',
  in_use_other: '已使用 {{shown}} 个。',
  below_use: '至少 {{shown}} 个，不能少于已使用的数量。',
  section: {
    customer: '客户',
    limits_hint: '数量与有效期。设备数由子账号共用。',
    permissions_hint: '客户管理员拥有的权限，也是该客户任何人员可获得权限的上限。',
  },
  form: {
    name: '名称',
    fae_hint: '服务商中负责该客户的人员。',
    fae_none: '未指定',
    expires_hint: '到期后该账号的任何人都无法登录。留空表示永久有效。',
    sub_accounts: '子账号',
    sub_accounts_hint: '允许创建下级账号，并分配自己的设备名额。',
  },
  enter: {
    button: '进入',
    button_of: '进入 {{name}}',
    title: '进入 {{name}}？',
    submit: '进入 {{name}}',
    what: '此后您的所有操作都在账号 {{name}} 中进行，并以您的名义记录，直到您返回。',
  },
  why_not: {
    invalid: '该账号或其上级账号已停用。',
    expired: '该账号或其上级账号已过期。',
    other: '目前无法进入该账号。',
  },
  register: '通过表格注册设备',
  renew: {
    action: '续期',
    title: '为 {{name}} 续期',
    submit: '续期',
    done: '{{name}} 已续期',
    now: '当前有效期至',
    until: '续期至',
    date: '指定日期',
    date_needed: '请选择日期。',
  },
  disable: {
    people_other: '{{shown}} 个用户账号将被退出且无法再登录，其管理员和子账号也是如此。',
    devices_other: '{{shown}} 台设备保持注册，但在账号重新启用之前，任何人都无法查看或操作。',
  },
  totp: {
    action: '关闭两步验证',
    title: '关闭 {{username}} 的两步验证？',
    submit: '关闭',
    done: '{{username}} 现在仅凭密码登录',
    what: '当 {{name}} 的管理员丢失手机和恢复码时使用。在重新设置两步验证之前，仅凭 {{username}} 的密码即可登录。请先核实请求者的身份。',
  },
  space: {
    action: '磁盘空间',
    title: '{{name}} 的磁盘空间',
    submit: '保存磁盘空间',
    done: '{{name}} 的磁盘空间已保存',
  },
}
