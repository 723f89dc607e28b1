import type { Translated } from '../../../i18n/resources.ts'
import type { texts as english } from './en.ts'

export const texts: Translated<typeof english> = {
  add: 'Thêm tệp cấu hình',
  search: 'Tìm theo tên',
  empty: 'Chưa có tệp cấu hình',
  empty_hint: 'Tệp tối đa 1 MB mà thiết bị tải xuống và đọc.',
  pushes: 'Lượt đẩy',
  push: 'Đẩy đến thiết bị',
  push_file: 'Đẩy {{name}}',
  download_file: 'Tải xuống {{name}}',
  delete_file: 'Xóa {{name}}',
  delete_title: 'Xóa {{name}}?',
  delete_text: 'Thiết bị đã nhận tệp vẫn giữ tệp.',
  deleted: 'Đã xóa tệp cấu hình',
  added: 'Đã thêm tệp cấu hình',
  field: {
    file: 'Tệp',
    file_hint: 'Tối đa 1 MB.',
    name: 'Tên',
    path: 'Thư mục trên thiết bị',
    description: 'Mô tả',
  },
  choose: 'Chọn tệp',
  too_large: 'Tệp vượt quá 1 MB.',
  no_file: 'Hãy chọn tệp.',
  column: {
    path: 'Thư mục',
    size: 'Dung lượng',
    pushes: 'Lượt đẩy',
    by: 'Người thêm',
  },
  push_title: 'Đẩy tệp cấu hình',
  all_pushes: 'Mọi lượt đẩy tệp cấu hình',
  no_pushes: 'Chưa có lượt đẩy tệp cấu hình nào',
  new_push: 'Lượt đẩy mới',
  files: 'Tệp cấu hình',
}
