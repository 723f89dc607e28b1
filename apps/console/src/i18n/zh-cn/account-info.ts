import type { texts as english } from '../en/account-info.ts'
import type { Translated } from '../resources.ts'

export const texts: Translated<typeof english> = {
  title: '账号信息',
  username: '登录名',
  name: '姓名',
  phone: '电话',
  email: '邮箱',
  organization: '组织',
  type: '账号类型',
  type_1: '客户账号',
  type_2: '子账号',
  type_3: '用户账号',
  type_101: '运维账号',
  roles: '角色',
  last_use: '最近使用',
  preferences: '偏好设置',
  language: '语言',
  zone: '时区',
  zone_browser: '跟随浏览器（{{zone}}）',
  map: '地图',
  map_1: '百度地图',
  map_2: 'OpenStreetMap',
  save: '保存偏好设置',
  saved: '偏好设置已保存',
}
