import type { texts as english } from './en.ts'
import type { Translated } from '../../../i18n/resources.ts'

export const texts: Translated<typeof english> = {
  search: '名称、组织或登录名',
  empty: '还没有子账号',
  empty_hint: '子账号拥有自己的设备和人员，并占用本账号的部分设备名额。',
  add: '新建子账号',
  added: '子账号已创建',
  edit_title: '编辑 {{name}}',
  save: '保存子账号',
  saved: '子账号已保存',
  column: {
    name: '子账号',
  },
  section: {
    account: '子账号',
    limits_hint: '从本账号分配的设备名额和磁盘空间。最迟与本账号同时到期。',
    permissions_hint: '子账号管理员拥有的权限，也是其任何人员可获得权限的上限。',
  },
  form: {
    name: '名称',
    expires_hint: '留空则与本账号同时到期。',
  },
  places: {
    left: '分配后剩余 {{left}}，最多可分配 {{most}}。',
    endless: '本账号不限设备数。',
    in_use_other: '已使用 {{shown}} 个。',
    beyond: '本账号仅剩 {{shown}} 个名额。',
    below_use: '至少 {{shown}} 个，不能少于已使用的数量。',
    unknown: '暂时无法读取剩余名额，保存时会再次检查。',
  },
  disable_what: '该账号的所有人员将被退出且无法再登录。',
  disable_devices_other: '{{shown}} 台设备保持注册。',
  delete: {
    title: '删除 {{name}}？',
    submit: '删除 {{name}}',
    done: '{{name}} 已删除',
    what: '该账号、其角色和登录名 {{username}} 将被永久删除，其设备名额归还本账号。',
    has_devices_other: '仍有 {{shown}} 台设备',
  },
}
