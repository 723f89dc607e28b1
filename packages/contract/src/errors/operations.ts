import { entry } from './entry.ts'

/** Background jobs that the provider follows. */
export const operationsErrors = {
  operation_task_unsupported: entry(
    49301,
    409,
    'Tasks of this kind do not support that.',
    'Loại tác vụ này không hỗ trợ thao tác đó.',
    '此类任务不支持该操作。',
  ),
  operation_task_state_wrong: entry(
    49302,
    409,
    'The task cannot do that in its present state.',
    'Không thể thực hiện thao tác này ở trạng thái hiện tại của tác vụ.',
    '任务在当前状态下不能执行该操作。',
  ),

  // API authorisation
  api_app_taken: entry(
    49311,
    422,
    'This app with this certificate is authorized already. Edit that entry instead.',
    'Ứng dụng với chứng chỉ này đã được cấp quyền. Hãy sửa mục đó.',
    '该应用及证书已有授权，请编辑已有条目。',
  ),
  api_list_too_large: entry(
    49312,
    422,
    'The list of the UID {uid} would be larger than {max} MiB. Remove methods or apps.',
    'Danh sách của UID {uid} sẽ lớn hơn {max} MiB. Hãy bớt phương thức hoặc ứng dụng.',
    'UID {uid} 的列表将超过 {max} MiB，请减少方法或应用。',
  ),

  // Scheduled reports
  report_mail_off: entry(
    49321,
    409,
    'This server sends no mail. Ask the operator of the server to set up mail.',
    'Máy chủ này không gửi email. Hãy nhờ người vận hành máy chủ thiết lập email.',
    '此服务器不发送邮件，请联系服务器运维人员设置邮件。',
  ),
  report_no_address: entry(
    49322,
    409,
    'Your account has no e-mail address. Add one under Account, Details.',
    'Tài khoản của bạn chưa có địa chỉ email. Hãy thêm trong Tài khoản, Thông tin.',
    '您的账号没有邮箱地址，请在“账号 > 信息”中添加。',
  ),
  report_limit: entry(
    49323,
    422,
    'You cannot have more than {max} scheduled reports. Delete one first.',
    'Bạn không thể có quá {max} báo cáo định kỳ. Hãy xóa bớt trước.',
    '定期报表不能超过 {max} 个，请先删除一个。',
  ),
  report_paused: entry(
    49324,
    409,
    'The report is paused. Resume it first.',
    'Báo cáo đang tạm dừng. Hãy tiếp tục báo cáo trước.',
    '报表已暂停，请先恢复。',
  ),
}
