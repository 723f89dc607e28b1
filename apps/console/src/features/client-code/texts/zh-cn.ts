import type { texts as english } from './en.ts'
import type { Translated } from '../../../i18n/resources.ts'

export const texts: Translated<typeof english> = {
  search: '代码或名称',
  empty: '还没有客户代码',
  empty_hint: '客户代码是操作系统 UID 的组成部分。',
  save: '保存客户代码',
  added: '客户代码已添加',
  saved: '客户代码已保存',
  deleted: '客户代码已删除',
  delete_title: '删除客户代码 {{name}}？',
  delete: '删除客户代码',
  code: '代码',
  code_hint: '5 位字母或数字。',
  name: '名称',
  remark: '备注',
}
