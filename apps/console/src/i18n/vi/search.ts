import type { texts as english } from '../en/search.ts'
import type { Translated } from '../resources.ts'

export const texts: Translated<typeof english> = {
  title: 'Tìm thiết bị',
  search: 'SN, tên thiết bị hoặc IMEI',
  search_account: 'Tên khách hàng',
  empty: 'Chưa có thiết bị',
  empty_hint: 'Thiết bị của mọi khách hàng sẽ được tìm thấy ở đây sau khi đăng ký.',
  column: {
    sn: 'SN',
    account: 'Khách hàng',
    name: 'Tên thiết bị',
    imei: 'IMEI',
    model: 'Kiểu máy',
    os: 'Phiên bản hệ thống',
    last_contact: 'Liên lạc lần cuối',
    registered_at: 'Đăng ký lúc',
  },
  now: 'Bây giờ',
  never: 'Chưa bao giờ',
  open: 'Mở',
  open_of: 'Vào {{name}} và mở {{sn}}',
  entered: 'Bạn đang làm việc thay {{name}}. Mọi thao tác được ghi lại ở đó dưới tên bạn.',
  why_not: {
    permission: 'Bạn không được phép vào tài khoản khách hàng hoặc mở thiết bị.',
    account: 'Khách hàng đã bị tắt hoặc hết hạn, không thể vào.',
  },
}
