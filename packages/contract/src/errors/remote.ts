import { entry } from './entry.ts'

/** Sessions with the screen, the shell, the log or the files of a device. */
export const remoteErrors = {
  remote_asleep: entry(
    42301,
    409,
    'The screen of the device is off and cannot be woken.',
    'Màn hình thiết bị đang tắt và không thể đánh thức.',
    '设备屏幕已关闭且无法唤醒。',
  ),
  remote_no_consent: entry(
    42302,
    409,
    'The person at the device did not agree.',
    'Người dùng thiết bị không đồng ý.',
    '设备使用者未同意。',
  ),
  remote_permission_missing: entry(
    42303,
    409,
    'The agent on the device is not permitted to show its screen or to control it.',
    'Phần mềm quản lý trên thiết bị không được phép hiển thị màn hình hoặc điều khiển.',
    '设备上的管理程序没有显示屏幕或控制的权限。',
  ),
  remote_busy: entry(
    42304,
    409,
    'Too many remote sessions are open. End one of them first.',
    'Có quá nhiều phiên từ xa đang mở. Hãy kết thúc một phiên trước.',
    '打开的远程会话过多，请先结束其中一个。',
  ),
  remote_no_entitlement: entry(
    42305,
    409,
    'This device has no active policy for remote service.',
    'Thiết bị này không có chính sách dịch vụ từ xa còn hiệu lực.',
    '该设备没有有效的远程服务策略。',
  ),
  remote_ended: entry(42306, 409, 'The session has ended.', 'Phiên đã kết thúc.', '会话已结束。'),
  remote_asked_lately: entry(
    42308,
    409,
    'The person at the device did not agree lately. They can be asked again in {minutes} min.',
    'Người dùng thiết bị vừa không đồng ý. Có thể hỏi lại sau {minutes} phút.',
    '设备使用者刚刚拒绝，{minutes} 分钟后可再次询问。',
  ),
  remote_terminal_off: entry(
    42307,
    409,
    'Shells are switched off for this account.',
    'Dòng lệnh từ xa đã bị tắt cho tài khoản này.',
    '该账号已关闭远程终端。',
  ),
} as const
