import type { texts as english } from '../en/account-info.ts'
import type { Translated } from '../resources.ts'

export const texts: Translated<typeof english> = {
  title: 'Tài khoản',
  username: 'Tên đăng nhập',
  name: 'Họ tên',
  phone: 'Điện thoại',
  email: 'Email',
  organization: 'Tổ chức',
  type: 'Loại tài khoản',
  type_1: 'Tài khoản khách hàng',
  type_2: 'Tài khoản con',
  type_3: 'Tài khoản người dùng',
  type_101: 'Nhân viên vận hành',
  roles: 'Vai trò',
  last_use: 'Lần dùng gần nhất',
  preferences: 'Tùy chọn',
  language: 'Ngôn ngữ',
  zone: 'Múi giờ',
  zone_browser: 'Theo trình duyệt ({{zone}})',
  map: 'Bản đồ',
  map_1: 'Baidu',
  map_2: 'OpenStreetMap',
  save: 'Lưu tùy chọn',
  saved: 'Đã lưu tùy chọn',
}
