import type { texts as english } from './en.ts'
import type { Translated } from '../../../i18n/resources.ts'

export const texts: Translated<typeof english> = {
  title: 'Khung bảo trì',
  empty: 'Chưa có khung bảo trì',
  empty_hint: 'Mỗi khung có tên, ngày và giờ. Lượt đẩy, ứng dụng bắt buộc và cấu hình có thể dùng khung này.',
  add: 'Tạo khung bảo trì',
  added: 'Đã tạo khung bảo trì',
  saved: 'Đã lưu khung bảo trì',
  edit_of: 'Sửa {{name}}',
  add_note: 'Sau đó lượt đẩy, ứng dụng bắt buộc và cấu hình có thể dùng khung này theo tên.',
  edit_note:
    'Mục đang dùng khung này sẽ theo giờ mới. Lượt đẩy đã bắt đầu giữ nguyên giờ lúc bắt đầu; cấu hình có phiên bản mới.',
  name: 'Tên',
  days: 'Ngày',
  hours: 'Giờ',
  hours_hint: 'Theo múi giờ của thiết bị. Khung có thể qua nửa đêm và thuộc ngày mà nó mở.',
  empty_hours: 'Khung đóng ngay khi mở.',
  no_days: 'Hãy chọn ít nhất một ngày.',
  uses: 'Đang dùng',
  unused: 'Không có',
  use: {
    pushes_other: '{{count}} lượt đẩy',
    recurring_other: '{{count}} lượt đẩy định kỳ',
    templates_other: '{{count}} mẫu',
    required_apps_other: '{{count}} ứng dụng bắt buộc',
    configurations_other: '{{count}} cấu hình',
  },
  created_by: 'Người tạo',
  calendar: 'Lịch khung bảo trì và lượt đẩy đã lên lịch',
  calendar_note: 'Khung theo giờ của thiết bị, lượt đẩy theo {{zone}}',
  month_before: 'Tháng trước',
  month_after: 'Tháng sau',
  this_month: 'Tháng này',
  delete: {
    title: 'Xóa khung bảo trì {{name}}?',
    submit: 'Xóa khung bảo trì',
    done: 'Đã xóa khung bảo trì',
    what: 'Chỉ xóa được khi không còn mục nào dùng. Lượt đẩy đã kết thúc vẫn giữ tên và giờ của khung.',
  },
}
