import type { Translated } from '../../../i18n/resources.ts'
import type { texts as english } from './en.ts'

export const texts: Translated<typeof english> = {
  title: 'Đẩy OS',
  push: 'Đẩy OS',
  all: 'Tất cả lượt đẩy OS',
  tab: { pushes: 'Lượt đẩy', versions: 'Phiên bản đang chạy', behind: 'Thiết bị chưa cập nhật' },
  search: 'Phiên bản hoặc mô tả',
  search_device: 'SN hoặc tên gợi nhớ',
  empty: 'Chưa có lượt đẩy OS',
  empty_hint: 'Đẩy phiên bản OS mà nhà cung cấp đã phát hành cho tài khoản này.',
  unknown: 'Không rõ',
  up_to_date: 'Không có bản mới hơn',
  uid_unknown: 'Chưa biết UID nên không có bản để đề nghị',
  update_to: 'Cập nhật lên {{version}}',
  over_time: 'Phiên bản theo thời gian',
  behind: {
    count_other: '{{shown}} thiết bị chưa chạy phiên bản mới nhất dành cho chúng.',
    none: 'Mọi thiết bị đều đã cập nhật',
    none_hint: 'Tất cả thiết bị đang chạy phiên bản mới nhất được phát hành cho chúng.',
  },
  column: {
    version: 'Phiên bản OS',
    devices: 'Thiết bị',
    newest: 'Mới nhất',
    runs: 'Đang chạy',
    alias: 'Tên gợi nhớ',
  },
}
