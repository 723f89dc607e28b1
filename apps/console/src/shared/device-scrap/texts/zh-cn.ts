import type { Translated } from '../../../i18n/resources.ts'
import type { texts as english } from './en.ts'

export const texts: Translated<typeof english> = {
  wait: '设备将在 {{seconds}} 秒后报废，在此之前可在右上角的“后台任务”中取消。',
  asked_other: '{{count}} 台设备将在 {{seconds}} 秒后报废',
  title_other: '报废 {{count}} 台设备',
  waits_other: '{{count}} 台设备将在 {{left}} 后报废',
  by: '发起人：{{name}}。',
  begun_other: '{{name}} 将在一分钟后报废 {{count}} 台设备，请查看上方的“后台任务”。',
  done_other: '已报废 {{count}} 台设备',
  left_out_other: '其中 {{count}} 台在等待期间已注销或移走，未予报废。',
  canceled_other: '{{name}} 已取消报废，{{count}} 台设备予以保留。',
  dropped_other: '发起人或所用的 API 令牌已无权报废设备，{{count}} 台设备予以保留。',
  failed_other: '报废失败，{{count}} 台设备予以保留，请重试。',
}
