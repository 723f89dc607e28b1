import type { texts as english } from './en.ts'
import type { Translated } from '../../../../i18n/resources.ts'

export const texts: Translated<typeof english> = {
  creating: 'Đang tạo lượt đẩy: {{name}}',
  counts: '{{done}}/{{total}} thiết bị',
  created_other: 'Đã tạo lượt đẩy cho {{shown}} thiết bị: {{name}}',
  left_out_other: '{{shown}} thiết bị bị loại.',
  canceled: 'Đã hủy lượt đẩy: {{name}}',
}
