import type { texts as english } from './en.ts'
import type { Translated } from '../../../i18n/resources.ts'

export const texts: Translated<typeof english> = {
  search: 'Mã hoặc tên',
  empty: 'Chưa có mã khách hàng',
  empty_hint: 'Mã khách hàng là một phần trong UID của hệ điều hành.',
  save: 'Lưu mã khách hàng',
  added: 'Đã thêm mã khách hàng',
  saved: 'Đã lưu mã khách hàng',
  deleted: 'Đã xóa mã khách hàng',
  delete_title: 'Xóa mã khách hàng {{name}}?',
  delete: 'Xóa mã khách hàng',
  code: 'Mã',
  code_hint: '5 chữ cái hoặc chữ số.',
  name: 'Tên',
  remark: 'Ghi chú',
}
