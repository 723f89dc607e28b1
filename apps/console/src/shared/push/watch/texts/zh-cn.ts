import type { texts as english } from './en.ts'
import type { Translated } from '../../../../i18n/resources.ts'

export const texts: Translated<typeof english> = {
  creating: '正在创建推送：{{name}}',
  counts: '{{done}}/{{total}} 台设备',
  created_other: '已为 {{shown}} 台设备创建推送：{{name}}',
  left_out_other: '已排除 {{shown}} 台设备。',
  canceled: '推送已取消：{{name}}',
}
