import type { Translated } from '../../../i18n/resources.ts'
import type { texts as english } from './en.ts'

export const texts: Translated<typeof english> = {
  choose: 'Chọn tệp',
  choose_other: 'Chọn tệp khác',
  none: 'Chưa chọn tệp',
  sending: 'Đang tải lên {{name}}',
}
