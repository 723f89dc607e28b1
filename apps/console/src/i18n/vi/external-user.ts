import type { texts as english } from '../en/external-user.ts'
import type { Translated } from '../resources.ts'

export const texts: Translated<typeof english> = {
  title: 'Người dùng ngoài',
  search: 'Tên, tổ chức, tên đăng nhập',
  empty: 'Chưa có khách hàng',
  empty_hint: 'Khách hàng và các tài khoản con của họ sẽ hiển thị ở đây.',
  column: {
    name: 'Khách hàng',
    username: 'Tên đăng nhập',
    type: 'Loại',
    devices: 'Thiết bị',
    expires: 'Hết hạn',
    last_use: 'Dùng lần cuối',
    fae: 'Hỗ trợ kỹ thuật',
  },
  type: { account: 'Khách hàng', sub_account: 'Tài khoản con' },
  state: { normal: 'Bình thường', init: 'Chưa kích hoạt', invalid: 'Không hợp lệ' },
  unlimited: 'Không giới hạn',
  quota: '{{name}}: {{count}} trên {{max}} thiết bị',
  no_expiry: 'Không hết hạn',
  never: 'Chưa bao giờ',
  expires_other: 'Còn {{shown}} ngày',
  expired_other: 'Hết hạn {{shown}} ngày trước',
  enter: {
    button: 'Vào',
    button_of: 'Vào {{name}}',
    title: 'Vào tài khoản {{name}}?',
    submit: 'Vào {{name}}',
    what: 'Từ lúc đó, mọi việc bạn làm đều diễn ra trong tài khoản {{name}} và được ghi lại dưới tên bạn, cho đến khi bạn quay lại.',
  },
  why_not: {
    init: 'Tài khoản chưa được kích hoạt.',
    invalid: 'Tài khoản không hợp lệ, không thể truy cập.',
    expired: 'Tài khoản đã hết hạn, không thể truy cập.',
    other: 'Tài khoản này hoặc tài khoản cấp trên đã hết hạn hoặc không hợp lệ.',
  },
}
