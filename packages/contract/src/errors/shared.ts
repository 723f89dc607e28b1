import { entry } from './entry.ts'

/** Met by every call. */
export const sharedErrors = {
  bad_input: entry(10000, 400, 'Some fields are not valid.', 'Một số trường không hợp lệ.', '部分字段无效。'),
  unauthorized: entry(
    401,
    401,
    'Your session has ended. Please sign in again.',
    'Phiên làm việc đã hết hạn. Vui lòng đăng nhập lại.',
    '登录已过期，请重新登录。',
  ),
  no_permission: entry(
    403,
    403,
    'No permission. Please contact the administrator.',
    'Không có quyền. Vui lòng liên hệ quản trị viên.',
    '没有权限，请联系管理员。',
  ),
  not_found: entry(404, 404, 'Not found.', 'Không tìm thấy.', '未找到。'),
  conflict: entry(
    409,
    409,
    'Someone else changed this meanwhile. Reload and try again.',
    'Dữ liệu đã bị người khác thay đổi. Hãy tải lại và thử lại.',
    '数据已被他人修改，请刷新后重试。',
  ),
  too_large: entry(
    413,
    413,
    'This is larger than allowed ({max}).',
    'Dữ liệu lớn hơn mức cho phép ({max}).',
    '超过允许的大小（{max}）。',
  ),
  too_many_requests: entry(
    429,
    429,
    'Too many requests. Try again in {seconds} s.',
    'Quá nhiều yêu cầu. Thử lại sau {seconds} giây.',
    '请求过于频繁，请 {seconds} 秒后再试。',
  ),
  internal: entry(
    500,
    500,
    'Something went wrong on the server. It has been recorded as {request_kid}.',
    'Máy chủ gặp lỗi. Sự cố đã được ghi lại với mã {request_kid}.',
    '服务器出错，已记录为 {request_kid}。',
  ),
  unavailable: entry(
    503,
    503,
    'The service is not available right now. Try again shortly.',
    'Dịch vụ tạm thời không khả dụng. Vui lòng thử lại sau.',
    '服务暂不可用，请稍后重试。',
  ),
  disk_full: entry(
    507,
    507,
    'The server has run out of disk space, so nothing can be saved. Please contact the administrator.',
    'Máy chủ đã hết dung lượng đĩa nên không thể lưu dữ liệu. Vui lòng liên hệ quản trị viên.',
    '服务器磁盘空间不足，暂时无法保存。请联系管理员。',
  ),
  outcome_unknown: entry(
    508,
    500,
    'The server stopped before the outcome was recorded. Check whether the change was made.',
    'Máy chủ đã dừng trước khi ghi lại kết quả. Hãy kiểm tra xem thay đổi đã được thực hiện chưa.',
    '服务器在记录结果之前已停止。请确认更改是否已生效。',
  ),
  second_person_needed: entry(
    43017,
    403,
    'For so many devices within an hour this account asks for a second person, and this cannot wait for one. Do it for fewer devices at a time.',
    'Với số thiết bị này trong một giờ, tài khoản cần người thứ hai phê duyệt, mà thao tác này không thể chờ. Hãy thực hiện cho ít thiết bị hơn mỗi lần.',
    '一小时内操作这么多设备，账号要求由第二人批准，而此操作无法等待批准。请减少每次操作的设备数量。',
  ),
}
