import type { texts as english } from './en.ts'
import type { Translated } from '../../../i18n/resources.ts'

export const texts: Translated<typeof english> = {
  any: '任何时间',
  own: '指定时间',
  from: '从',
  to: '至',
  days: '星期',
  choose: '请选择维护时段',
  none: '暂无维护时段，请在“推送任务”的“维护时段”中新建',
}
