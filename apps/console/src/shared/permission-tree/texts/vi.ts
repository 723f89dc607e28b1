import type { texts as english } from './en.ts'
import type { Translated } from '../../../i18n/resources.ts'

export const texts: Translated<typeof english> = {
  search: 'Tìm quyền',
  all: 'Tất cả, kể cả quyền mới ở các phiên bản sau',
  all_disabled_reason: 'Chỉ người có toàn bộ quyền mới cấp được toàn bộ quyền.',
  granted: 'Đã cấp {{count}}/{{total}} quyền',
  part: '{{count}}/{{total}}',
  open_page: 'Mở trang',
  patterns: 'Mẫu và các tên khác',
  pattern_hint: 'Đây là mẫu: nó cấp luôn cả những quyền được thêm sau này có tên khớp mẫu.',
  name_hint: 'Quyền này không có trong menu.',
  remove_pattern: 'Bỏ {{pattern}}',
  not_held: 'Bạn không có quyền này nên không thể cấp hoặc thu hồi.',
  none_match: 'Không có quyền nào khớp.',
  nothing: 'Không có quyền nào để cấp.',
}
