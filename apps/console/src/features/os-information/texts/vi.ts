import type { texts as english } from './en.ts'
import type { Translated } from '../../../i18n/resources.ts'

export const texts: Translated<typeof english> = {
  title: 'Thông tin hệ điều hành',
  search: 'Mã hoặc tên',
  empty: 'Danh sách này còn trống',
  empty_hint: 'Mỗi mã trong danh sách là một phần trong UID của hệ điều hành. Hãy thêm mã hoặc nhập từ bảng tính.',
  save: 'Lưu thay đổi',
  added: 'Đã thêm',
  saved: 'Đã lưu',
  deleted: 'Đã xóa',
  delete_title: 'Xóa {{name}}?',
  delete: 'Xóa',
  in_use_other: 'Có {{count}} UID đang sử dụng nên không thể xóa.',
  show_uids: 'Các UID dùng {{code}}: {{count}}',
  column: {
    code: 'Mã',
    name: 'Tên',
    total_capacity: 'Tổng dung lượng',
    chip_model: 'Mẫu chip',
    supplier: 'Nhà cung ứng',
    bom_code: 'Mã BOM',
    uid_count: 'Số UID',
    remark: 'Ghi chú',
  },
  format: {
    client_code: '5 chữ cái hoặc chữ số.',
    code_of_2: '2 chữ cái hoặc chữ số.',
    code_of_2_letters: '2 chữ cái viết hoa.',
    code_of_1_letter: '1 chữ cái viết hoa.',
  },
  import: {
    button: 'Nhập từ bảng tính',
    title: 'Nhập {{list}}',
    hint: 'Tải mẫu, điền mỗi mục một dòng rồi chọn bảng tính tại đây. Cũng có thể chọn danh sách đã xuất. Chưa có gì được nhập cho đến khi bạn xem hết các dòng.',
    good_other: 'Có thể nhập {{shown}} dòng',
    bad_other: '{{shown}} dòng có vấn đề và bị bỏ qua',
    nothing_good: 'Không có dòng nào nhập được.',
    submit_other: 'Nhập {{shown}} dòng',
    done_other: 'Đã nhập {{count}} dòng',
    left_out: 'Các mã sau vừa được người khác thêm: {{codes}}',
  },
}
