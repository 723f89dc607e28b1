import type { Translated } from '../../../i18n/resources.ts'
import type { texts as en } from './en.ts'

export const texts: Translated<typeof en> = {
  title: 'Ngừng phát hành OS {{version}}?',
  what: 'Không ai đẩy được phiên bản này nữa. Thiết bị đang dùng vẫn giữ nguyên.',
  nobody: 'Không có ai đang đẩy phiên bản này.',
  choice: 'Xử lý các lượt đẩy này',
  cancel_tasks: 'Hủy tất cả các lượt đẩy này',
  only: 'Để các lượt đẩy này tiếp tục',
  submit: 'Ngừng phát hành',
  submit_cancel: 'Hủy lượt đẩy và ngừng phát hành',
  done: 'Đã ngừng phát hành phiên bản OS',
}
