import type { texts as english } from './en.ts'
import type { Translated } from '../../../i18n/resources.ts'

export const texts: Translated<typeof english> = {
  search: 'Tên, tổ chức, tên đăng nhập',
  empty: 'Chưa có tài khoản con',
  empty_hint: 'Tài khoản con có thiết bị và người dùng riêng, dùng một phần số thiết bị của tài khoản này.',
  add: 'Tạo tài khoản con',
  added: 'Đã tạo tài khoản con',
  edit_title: 'Sửa {{name}}',
  save: 'Lưu tài khoản con',
  saved: 'Đã lưu tài khoản con',
  column: {
    name: 'Tài khoản con',
  },
  section: {
    account: 'Tài khoản con',
    limits_hint:
      'Phần thiết bị và dung lượng được chia từ tài khoản này. Tài khoản con kết thúc muộn nhất cùng lúc với tài khoản này.',
    permissions_hint: 'Quyền của quản trị viên tài khoản con, cũng là mức tối đa có thể cấp cho bất kỳ ai trong đó.',
  },
  form: {
    name: 'Tên',
    expires_hint: 'Để trống để kết thúc cùng lúc với tài khoản này.',
  },
  places: {
    left: 'Sau đó còn {{left}}; tối đa {{most}}.',
    endless: 'Tài khoản này không giới hạn.',
    in_use_other: 'Đang dùng {{shown}}.',
    beyond: 'Tài khoản này chỉ còn {{shown}}.',
    below_use: 'Ít nhất {{shown}}, bằng số đang dùng.',
    unknown: 'Hiện không đọc được số còn lại; sẽ kiểm tra khi lưu.',
  },
  disable_what: 'Mọi người trong tài khoản này sẽ bị đăng xuất và không đăng nhập được nữa.',
  disable_devices_other: '{{shown}} thiết bị vẫn được đăng ký.',
  delete: {
    title: 'Xóa {{name}}?',
    submit: 'Xóa {{name}}',
    done: 'Đã xóa {{name}}',
    what: 'Tài khoản, các vai trò và tên đăng nhập {{username}} sẽ mất vĩnh viễn. Phần thiết bị được trả về tài khoản này.',
    has_devices_other: 'còn {{shown}} thiết bị',
  },
}
