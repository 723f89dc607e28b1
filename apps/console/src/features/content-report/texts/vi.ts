import type { texts as english } from './en.ts'
import type { Translated } from '../../../i18n/resources.ts'

export const texts: Translated<typeof english> = {
  title: 'Báo cáo nội dung',
  search: 'Tên khách hàng',
  empty: 'Chưa có khách hàng',
  empty_hint: 'Những gì khách hàng lưu trữ và đẩy sẽ hiển thị ở đây.',
  period: 'Thời gian đẩy',
  total: 'Tất cả khách hàng',
  in_period: 'trong khoảng thời gian đã chọn',
  in_30_days: 'trong 30 ngày qua',
  failed_other: '{{shown}} thất bại',
  file_space_of: 'Kho tệp của {{name}}: phần đang dùng',
  app_space_of: 'Kho ứng dụng của {{name}}: phần đang dùng',
  column: {
    name: 'Khách hàng',
    files: 'Tệp',
    file_space: 'Kho tệp',
    apps: 'Ứng dụng',
    app_space: 'Kho ứng dụng',
    pushes: 'Lượt đẩy',
    downloads: 'Lượt tải',
    failed: 'Thất bại',
  },
}
