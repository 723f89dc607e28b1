import type { texts as english } from './en.ts'
import type { Translated } from '../../../i18n/resources.ts'

export const texts: Translated<typeof english> = {
  search: '搜索权限',
  all: '全部权限，包括以后版本新增的',
  all_disabled_reason: '只有自己拥有全部权限的人才能授予全部权限。',
  granted: '已授予 {{count}} / {{total}} 项',
  part: '{{count}} / {{total}}',
  open_page: '打开页面',
  patterns: '通配模式和其他名称',
  pattern_hint: '通配模式：以后新增的同名权限也会一并授予。',
  name_hint: '菜单中没有显示的权限。',
  remove_pattern: '移除 {{pattern}}',
  not_held: '您自己没有此权限，因此不能授予或收回。',
  none_match: '没有匹配的权限。',
  nothing: '没有可以授予的权限。',
}
