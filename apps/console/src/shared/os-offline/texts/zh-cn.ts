import type { Translated } from '../../../i18n/resources.ts'
import type { texts as en } from './en.ts'

export const texts: Translated<typeof en> = {
  title: '下线 OS {{version}}？',
  what: '之后无法再推送该版本，已运行该版本的设备不受影响。',
  nobody: '目前没有客户在推送。',
  choice: '如何处理这些推送',
  cancel_tasks: '取消所有相关推送',
  only: '让这些推送继续',
  submit: '下线',
  submit_cancel: '取消推送并下线',
  done: 'OS 版本已下线',
}
