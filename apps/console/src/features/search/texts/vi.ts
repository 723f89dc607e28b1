import type { texts as english } from './en.ts'
import type { Translated } from '../../../i18n/resources.ts'

export const texts: Translated<typeof english> = {
  search: 'SN, tên gợi nhớ hoặc IMEI',
  search_account: 'Tên khách hàng',
  empty: 'Chưa có thiết bị nào',
  empty_hint: 'Thiết bị của mọi khách hàng sẽ được tìm thấy ở đây sau khi đăng ký.',
  view: { label: 'Tìm trong', devices: 'Thiết bị', scrapped: 'Đã loại bỏ' },
  scrapped: {
    search: 'SN hoặc tên gợi nhớ',
    empty: 'Chưa có thiết bị nào bị loại bỏ',
    empty_hint: 'Thiết bị do khách hàng loại bỏ được tìm thấy ở đây và có thể được khôi phục.',
    at: 'Loại bỏ lúc',
    by: 'Người thực hiện',
    restore: 'Khôi phục',
    restore_of: 'Khôi phục {{sn}}',
    title_other: 'Khôi phục {{count}} thiết bị đã loại bỏ?',
    submit_other: 'Khôi phục {{count}} thiết bị',
    text: 'Mọi khách hàng đều có thể đăng ký lại các SN này. Thiết bị không tự quay về tài khoản cũ.',
    done_other: '{{count}} SN có thể được đăng ký lại',
  },
  column: {
    sn: 'SN',
    account: 'Khách hàng',
    name: 'Tên gợi nhớ',
    imei: 'IMEI',
    model: 'Kiểu máy',
    os: 'Phiên bản hệ điều hành',
    last_contact: 'Liên lạc cuối',
    registered_at: 'Ngày đăng ký',
  },
  now: 'Vừa xong',
  never: 'Chưa bao giờ',
  open: 'Mở',
  open_of: 'Vào {{name}} và mở {{sn}}',
  entered: 'Bạn đang làm việc thay {{name}}. Mọi thao tác được ghi lại ở đó dưới tên bạn.',
  why_not: {
    permission: 'Bạn không được phép vào tài khoản khách hàng hoặc mở thiết bị.',
    account: 'Khách hàng đã bị tắt hoặc hết hạn, không thể vào.',
  },
}
