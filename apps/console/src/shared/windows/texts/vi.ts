import type { texts as english } from './en.ts'
import type { Translated } from '../../../i18n/resources.ts'

export const texts: Translated<typeof english> = {
  any: 'Bất kỳ lúc nào',
  own: 'Trong khung giờ tự đặt',
  from: 'Từ',
  to: 'Đến',
  days: 'Ngày',
  choose: 'Chọn khung bảo trì',
  none: 'Chưa có khung bảo trì: hãy tạo tại Tác vụ đẩy, Khung bảo trì',
}
