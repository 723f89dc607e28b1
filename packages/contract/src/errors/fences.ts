import { entry } from './entry.ts'

/** Electronic fences, alerts and compliance. */
export const fencesErrors = {
  fence_limit: entry(
    49101,
    422,
    'No more than {max} electronic fences are possible.',
    'Không thể có quá {max} hàng rào điện tử.',
    '电子围栏数量不能超过 {max} 个。',
  ),
  fence_password_missing: entry(
    49102,
    422,
    'A fence that locks the screen needs a password.',
    'Hàng rào có khóa màn hình phải có mật khẩu.',
    '启用锁屏的围栏必须设置密码。',
  ),
  fence_beyond_reach: entry(
    49103,
    403,
    'This fence is also in force for devices that you cannot reach.',
    'Hàng rào này còn áp dụng cho những thiết bị ngoài phạm vi của bạn.',
    '该围栏还应用于您无权管理的设备。',
  ),
  geocoder_failed: entry(
    49104,
    503,
    'The place search does not answer. Try again, or enter coordinates.',
    'Dịch vụ tìm địa điểm không phản hồi. Hãy thử lại hoặc nhập tọa độ.',
    '地点搜索服务没有响应，请重试或直接输入坐标。',
  ),
  alert_rule_limit: entry(
    49111,
    422,
    'No more than {max} alert rules are possible.',
    'Không thể có quá {max} quy tắc cảnh báo.',
    '告警规则数量不能超过 {max} 个。',
  ),
  alert_of_account: entry(
    49112,
    422,
    'This rule is about the account: it has no devices to choose, to mark or to act on.',
    'Quy tắc này áp dụng cho tài khoản: không có thiết bị để chọn, đánh dấu hay tác động.',
    '该规则针对账号，不能选择、标记或操作设备。',
  ),
  alert_not_open: entry(
    49113,
    409,
    'This alert is not open any more.',
    'Cảnh báo này không còn mở.',
    '该告警已不是未解决状态。',
  ),
  alert_assignee_unfit: entry(
    49114,
    422,
    'This person is disabled or may not see alerts.',
    'Người này đã bị vô hiệu hóa hoặc không được xem cảnh báo.',
    '此人已被禁用或无权查看告警。',
  ),
} as const
