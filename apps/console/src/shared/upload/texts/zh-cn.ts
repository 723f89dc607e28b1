import type { Translated } from '../../../i18n/resources.ts'
import type { texts as english } from './en.ts'

export const texts: Translated<typeof english> = {
  choose: '选择文件',
  choose_other: '选择其他文件',
  none: '未选择文件',
  sending: '正在上传{{name}}',
}
