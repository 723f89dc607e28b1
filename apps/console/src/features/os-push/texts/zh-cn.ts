import type { Translated } from '../../../i18n/resources.ts'
import type { texts as english } from './en.ts'

export const texts: Translated<typeof english> = {
  title: '推送 OS',
  push: '推送 OS',
  all: '全部 OS 推送',
  tab: { pushes: '推送', versions: '设备版本分布', behind: '未更新设备' },
  search: '版本或说明',
  search_device: 'SN 或别名',
  empty: '暂无 OS 推送',
  empty_hint: '推送服务商为该账号发布的 OS 版本。',
  unknown: '未知',
  up_to_date: '没有更新版本',
  uid_unknown: 'UID 未知，无法判断新版本',
  update_to: '更新到 {{version}}',
  over_time: '版本变化趋势',
  behind: {
    count_other: '{{shown}} 台设备未运行可用的最新版本。',
    none: '所有设备均为最新',
    none_hint: '每台设备都已运行为其发布的最新版本。',
  },
  column: {
    version: 'OS 版本',
    devices: '设备',
    newest: '最新',
    runs: '当前版本',
    alias: '别名',
  },
}
