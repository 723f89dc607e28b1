import type { texts as english } from './en.ts'
import type { Translated } from '../../../i18n/resources.ts'

export const texts: Translated<typeof english> = {
  how: 'Cách chọn thiết bị',
  by_group: 'Cả một nhóm',
  by_device: 'Từng thiết bị',
  group_hint: 'Mọi thiết bị trong nhóm và các nhóm bên dưới, tính tại thời điểm tạo tác vụ.',
  search_group: 'Tên nhóm',
  search_device: 'SN, tên gợi nhớ hoặc IMEI',
  devices_other: '{{shown}} thiết bị',
  chosen_other: 'Đã chọn {{shown}} thiết bị',
  full: 'Nhiều nhất {{max}} thiết bị riêng lẻ. Nếu cần nhiều hơn, hãy chọn cả nhóm.',
  none_match: 'Không có thiết bị phù hợp.',
  any_state: 'Mọi trạng thái kết nối',
  sn: 'SN',
  alias: 'Tên gợi nhớ',
  model: 'Kiểu máy',
  group: 'Nhóm',
}
