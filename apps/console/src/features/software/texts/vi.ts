import type { texts as english } from './en.ts'
import type { Translated } from '../../../i18n/resources.ts'

export const texts: Translated<typeof english> = {
  search: 'Tên gói hoặc ứng dụng',
  empty: 'Chưa có phần mềm nào được báo cáo',
  empty_hint: 'Thiết bị báo cáo phần mềm đã cài khi kết nối.',
  versions_of: 'Mọi phiên bản của {{name}}',
  bring_up: 'Đẩy phiên bản mới nhất đến các thiết bị này',
  column: { package: 'Tên gói', app: 'Kho ứng dụng', version: 'Phiên bản', behind: 'Tình trạng', devices: 'Thiết bị' },
  filter: {
    behind: 'Thấp hơn bản mới nhất',
    not_behind: 'Không thấp hơn',
    managed: 'Có trong kho ứng dụng',
    other: 'Không có trong kho ứng dụng',
  },
}
