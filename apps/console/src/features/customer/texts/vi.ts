import type { texts as english } from './en.ts'
import type { Translated } from '../../../i18n/resources.ts'

export const texts: Translated<typeof english> = {
  search: 'Tên, tổ chức, tên đăng nhập',
  empty: 'Chưa có khách hàng',
  empty_hint: 'Hãy tạo khách hàng đầu tiên: tên đăng nhập, số thiết bị và thời hạn.',
  add: 'Tạo khách hàng',
  added: 'Đã tạo khách hàng',
  edit_title: 'Sửa {{name}}',
  save: 'Lưu khách hàng',
  saved: 'Đã lưu khách hàng',
  column: {
    name: 'Khách hàng',
    users: 'Tài khoản người dùng',
    fae: 'Hỗ trợ kỹ thuật',
  },
  filter: {
    expires: 'Hết hạn trong (ngày)',
  },
  users_of: 'Tài khoản người dùng của {{name}}',
  in_use_other: 'Đang dùng {{shown}}.',
  below_use: 'Ít nhất {{shown}}, bằng số đang dùng.',
  section: {
    customer: 'Khách hàng',
    limits_hint: 'Bao nhiêu và đến khi nào. Các tài khoản con dùng chung số thiết bị.',
    permissions_hint:
      'Quyền của quản trị viên khách hàng, cũng là mức tối đa có thể cấp cho bất kỳ ai trong tài khoản.',
  },
  form: {
    name: 'Tên',
    fae_hint: 'Người của nhà cung cấp phụ trách khách hàng này.',
    fae_none: 'Chưa có ai',
    expires_hint: 'Sau thời điểm này không ai trong tài khoản đăng nhập được. Để trống nếu không có thời hạn.',
    sub_accounts: 'Tài khoản con',
    sub_accounts_hint: 'Được tạo các tài khoản cấp dưới dùng một phần số thiết bị của mình.',
  },
  enter: {
    button: 'Vào',
    button_of: 'Vào {{name}}',
    title: 'Vào tài khoản {{name}}?',
    submit: 'Vào {{name}}',
    what: 'Từ lúc đó, mọi việc bạn làm đều diễn ra trong tài khoản {{name}} và được ghi lại dưới tên bạn, cho đến khi bạn quay lại.',
  },
  why_not: {
    invalid: 'Tài khoản này hoặc tài khoản cấp trên đã bị tắt.',
    expired: 'Tài khoản này hoặc tài khoản cấp trên đã hết hạn.',
    other: 'Hiện không thể vào tài khoản này.',
  },
  register: 'Đăng ký thiết bị từ bảng tính',
  renew: {
    action: 'Gia hạn',
    title: 'Gia hạn {{name}}',
    submit: 'Gia hạn',
    done: 'Đã gia hạn {{name}}',
    now: 'Hiện có hiệu lực đến',
    until: 'Gia hạn đến',
    date: 'Chọn ngày khác',
    date_needed: 'Chọn ngày.',
  },
  disable: {
    people_other:
      '{{shown}} tài khoản người dùng sẽ bị đăng xuất và không đăng nhập được nữa; quản trị viên và các tài khoản con cũng vậy.',
    devices_other:
      '{{shown}} thiết bị vẫn được đăng ký, nhưng không ai xem hoặc điều khiển được cho đến khi tài khoản được bật lại.',
  },
  totp: {
    action: 'Tắt xác thực hai bước',
    title: 'Tắt xác thực hai bước của {{username}}?',
    submit: 'Tắt',
    done: '{{username}} chỉ cần mật khẩu để đăng nhập',
    what: 'Dùng khi quản trị viên của {{name}} mất điện thoại và mã khôi phục. Cho đến khi thiết lập lại xác thực hai bước, chỉ cần mật khẩu của {{username}} là đăng nhập được. Hãy xác minh người yêu cầu.',
  },
  space: {
    action: 'Dung lượng lưu trữ',
    title: 'Dung lượng của {{name}}',
    submit: 'Lưu dung lượng',
    done: 'Đã lưu dung lượng của {{name}}',
  },
}
