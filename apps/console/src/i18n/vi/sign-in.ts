import type { texts as english } from '../en/sign-in.ts'
import type { Translated } from '../resources.ts'

export const texts: Translated<typeof english> = {
  title: 'Đăng nhập',
  lead: 'Mọi thiết bị cầm tay, ở một nơi.',
  username: 'Tên đăng nhập',
  password: 'Mật khẩu',
  show: 'Hiện mật khẩu',
  hide: 'Ẩn mật khẩu',
  submit: 'Đăng nhập',
  busy: 'Đang đăng nhập…',
  username_required: 'Nhập tên đăng nhập.',
  password_required: 'Nhập mật khẩu.',
  puzzle_required: 'Kéo mảnh ghép vào đúng vị trí.',
  puzzle: 'Kiểm tra bảo mật',
  puzzle_hint: 'Kéo mảnh ghép vào chỗ trống',
  puzzle_keys: 'Vị trí mảnh ghép; dùng phím mũi tên rồi Enter',
  puzzle_done: 'Hoàn tất',
  puzzle_again: 'Hình khác',
  puzzle_alt: 'Hình có chỗ trống',
  caps: 'Caps Lock đang bật',
}
