import type { Translated } from '../../../i18n/resources.ts'
import type { texts as english } from './en.ts'

export const texts: Translated<typeof english> = {
  wait: 'Thiết bị sẽ bị loại bỏ sau {{seconds}} giây. Trước đó, bạn có thể hủy trong “Tác vụ nền” ở góc trên bên phải.',
  asked_other: '{{count}} thiết bị sẽ bị loại bỏ sau {{seconds}} giây',
  title_other: 'Loại bỏ {{count}} thiết bị',
  waits_other: '{{count}} thiết bị sẽ bị loại bỏ sau {{left}}',
  by: 'Người yêu cầu: {{name}}.',
  begun_other: '{{name}} sẽ loại bỏ {{count}} thiết bị trong một phút nữa: xem “Tác vụ nền” ở phía trên.',
  done_other: 'Đã loại bỏ {{count}} thiết bị',
  left_out_other: '{{count}} thiết bị đã bị hủy đăng ký hoặc chuyển đi trong lúc chờ nên được bỏ qua.',
  canceled_other: '{{name}} đã dừng việc loại bỏ: giữ lại {{count}} thiết bị.',
  dropped_other: 'Người yêu cầu, hoặc mã API đã dùng, không còn quyền loại bỏ thiết bị: giữ lại {{count}} thiết bị.',
  failed_other: 'Loại bỏ không thành công: giữ lại {{count}} thiết bị. Hãy thử lại.',
}
