import { text } from './wire.ts'
import type { Language, Text } from './wire.ts'

type Entry = { result: number; status: number; message: Text }
const entry = (result: number, status: number, en: string, vi: string, zh: string): Entry => ({
  result,
  status,
  message: text(en, vi, zh),
})

/**
 * Every refusal of the product. `result` is the wire's code and never changes; `{name}` in a message is filled
 * from the details a handler gives. 40015-40025 and 10000 are the specification's own (section 8).
 */
export const errors = {
  // Shared by every call
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

  // Sign-in and accounts
  registered_users_exceed_limit: entry(
    40015,
    422,
    'The number of registered users exceeds the limit.',
    'Số người dùng đã đăng ký vượt quá giới hạn.',
    '注册用户数超过限制。',
  ),
  registered_devices_exceed_limit: entry(
    40016,
    422,
    'The number of registered devices exceeds the limit.',
    'Số thiết bị đã đăng ký vượt quá giới hạn.',
    '注册设备数超过限制。',
  ),
  login_failed: entry(
    41001,
    422,
    'The login name or the password is wrong.',
    'Tên đăng nhập hoặc mật khẩu không đúng.',
    '登录名或密码错误。',
  ),
  login_locked: entry(
    41002,
    429,
    'Too many failed attempts. Try again in {minutes} min.',
    'Đăng nhập sai quá nhiều lần. Thử lại sau {minutes} phút.',
    '失败次数过多，请 {minutes} 分钟后再试。',
  ),
  account_unavailable: entry(
    41003,
    422,
    'The account is expired or invalid and cannot be accessed.',
    'Tài khoản đã hết hạn hoặc không hợp lệ, không thể truy cập.',
    '账号已过期或无效，无法访问。',
  ),
  no_role: entry(
    41004,
    403,
    'This account has no permission. Please contact the administrator.',
    'Tài khoản này không có quyền. Vui lòng liên hệ quản trị viên.',
    '该账号没有权限，请联系管理员。',
  ),
  puzzle_too_fast: entry(
    41011,
    422,
    'That was too fast. Please try again.',
    'Thao tác quá nhanh. Vui lòng thử lại.',
    '操作过快，请重试。',
  ),
  puzzle_too_slow: entry(
    41012,
    422,
    'That took too long. Please try again.',
    'Thao tác quá lâu. Vui lòng thử lại.',
    '操作超时，请重试。',
  ),
  puzzle_misaligned: entry(
    41013,
    422,
    'The piece is not in its place. Please try again.',
    'Mảnh ghép chưa đúng vị trí. Vui lòng thử lại.',
    '拼图未对齐，请重试。',
  ),
  puzzle_expired: entry(
    41014,
    422,
    'This puzzle was already used or has expired.',
    'Câu đố đã được dùng hoặc đã hết hạn.',
    '该拼图已使用或已过期。',
  ),

  // Devices
  sn_too_long: entry(
    40017,
    422,
    'The SN cannot be longer than 36 characters.',
    'SN không được dài quá 36 ký tự.',
    'SN 长度不能超过 36 个字符。',
  ),
  alias_too_long: entry(
    40018,
    422,
    'The device alias is too long (36 characters at most).',
    'Tên thiết bị quá dài (tối đa 36 ký tự).',
    '设备别名过长（最多 36 个字符）。',
  ),
  alias_has_percent: entry(
    40019,
    422,
    'The alias cannot contain the percent character.',
    'Tên thiết bị không được chứa ký tự phần trăm.',
    '设备别名不能包含百分号。',
  ),
  device_unknown: entry(
    40020,
    422,
    'The device does not exist. Connect it to the network and retry.',
    'Thiết bị không tồn tại. Hãy kết nối mạng cho thiết bị rồi thử lại.',
    '设备不存在，请将设备联网后重试。',
  ),
  device_already_registered: entry(
    40021,
    422,
    'The device is already registered. Deregister it first.',
    'Thiết bị đã được đăng ký. Hãy hủy đăng ký trước.',
    '设备已注册，请先注销。',
  ),
  registration_code_mismatch: entry(
    40022,
    422,
    'The registration code does not match.',
    'Mã đăng ký không khớp.',
    '注册码不匹配。',
  ),
  account_device_limit: entry(
    40023,
    422,
    'The number of registered devices exceeds the account limit.',
    'Số thiết bị đã đăng ký vượt quá giới hạn của tài khoản.',
    '注册设备数超过账号限制。',
  ),
  group_unknown: entry(
    40024,
    422,
    'The device group does not exist.',
    'Nhóm thiết bị không tồn tại.',
    '设备分组不存在。',
  ),
  qrcode_invalid: entry(
    40025,
    422,
    'The QR code is invalid or has expired.',
    'Mã QR không hợp lệ hoặc đã hết hạn.',
    '二维码无效或已过期。',
  ),
  device_scrapped: entry(
    42001,
    422,
    'This SN was scrapped and cannot be registered.',
    'SN này đã bị loại bỏ và không thể đăng ký.',
    '该 SN 已报废，无法注册。',
  ),
  device_not_found: entry(42002, 404, 'The device was not found.', 'Không tìm thấy thiết bị.', '未找到设备。'),
  device_not_online: entry(42003, 409, 'This device is not online.', 'Thiết bị này không trực tuyến.', '设备不在线。'),
  no_remote_connection: entry(
    42004,
    409,
    'No remote connection is available.',
    'Không có kết nối từ xa.',
    '没有可用的远程连接。',
  ),
  group_name_taken: entry(
    42011,
    422,
    'A group of this name already exists here.',
    'Nhóm có tên này đã tồn tại.',
    '同级分组名称已存在。',
  ),
  group_too_deep: entry(
    42012,
    422,
    'Groups can be nested 10 levels deep at most.',
    'Nhóm chỉ được lồng tối đa 10 cấp.',
    '分组最多嵌套 10 级。',
  ),
  group_into_itself: entry(
    42013,
    422,
    'A group cannot be moved into itself or below itself.',
    'Không thể chuyển nhóm vào chính nó hoặc nhóm con của nó.',
    '分组不能移动到自身或其下级。',
  ),
  confirm_text_wrong: entry(42014, 422, 'Type DELETE to confirm.', 'Nhập DELETE để xác nhận.', '请输入 DELETE 确认。'),
  export_running: entry(
    42021,
    409,
    'An export is already running. Cancel it before starting another.',
    'Đang có một lượt xuất dữ liệu. Hãy hủy trước khi bắt đầu lượt mới.',
    '已有导出任务在运行，请先取消。',
  ),

  // Tasks
  task_create_failed: entry(
    43001,
    422,
    'Creating the push task failed. Please retry.',
    'Tạo tác vụ đẩy thất bại. Vui lòng thử lại.',
    '推送任务创建失败，请重试。',
  ),
  task_running: entry(
    43002,
    409,
    'The task is running, no need to repeat.',
    'Tác vụ đang chạy, không cần lặp lại.',
    '任务正在运行，无需重复操作。',
  ),
  task_not_cancelable: entry(
    43003,
    409,
    'This task cannot be cancelled.',
    'Không thể hủy tác vụ này.',
    '该任务无法取消。',
  ),
  task_not_retryable: entry(
    43004,
    409,
    'This task cannot be retried.',
    'Không thể thử lại tác vụ này.',
    '该任务无法重试。',
  ),
  config_to_push_missing: entry(
    43005,
    422,
    'The configuration to push does not exist.',
    'Cấu hình cần đẩy không tồn tại.',
    '要推送的配置不存在。',
  ),
  delete_failed: entry(
    43011,
    409,
    'It could not be deleted because it is in use.',
    'Không thể xóa vì đang được sử dụng.',
    '删除失败：正在使用中。',
  ),

  // Names that must be unique
  duplicate_name: entry(44001, 422, 'This name already exists.', 'Tên này đã tồn tại.', '名称已存在。'),
  duplicate_code: entry(44002, 422, 'This code already exists.', 'Mã này đã tồn tại.', '代码已存在。'),
  duplicate_login_name: entry(
    44003,
    422,
    'This login name already exists.',
    'Tên đăng nhập này đã tồn tại.',
    '登录名已存在。',
  ),
  duplicate_email: entry(
    44004,
    422,
    'This e-mail address already exists.',
    'Địa chỉ email này đã tồn tại.',
    '邮箱已存在。',
  ),
  duplicate_phone: entry(
    44005,
    422,
    'This phone number already exists.',
    'Số điện thoại này đã tồn tại.',
    '电话已存在。',
  ),
  duplicate_role: entry(44006, 422, 'This role ID already exists.', 'Mã vai trò này đã tồn tại.', '角色 ID 已存在。'),
  duplicate_model: entry(44007, 422, 'This model already exists.', 'Kiểu máy này đã tồn tại.', '型号已存在。'),
  duplicate_version: entry(44008, 422, 'This version already exists.', 'Phiên bản này đã tồn tại.', '版本已存在。'),

  // Files
  file_too_large: entry(45001, 413, 'The file exceeds {max}.', 'Tệp vượt quá {max}.', '文件超过 {max}。'),
  file_name_invalid: entry(
    45002,
    422,
    'A file name has 1 to 255 characters, none of \\ / : * ? " < > |, and does not end with a dot.',
    'Tên tệp gồm 1 đến 255 ký tự, không chứa \\ / : * ? " < > | và không kết thúc bằng dấu chấm.',
    '文件名为 1 到 255 个字符，不能包含 \\ / : * ? " < > |，且不能以点结尾。',
  ),
  file_transfer_failed: entry(
    45003,
    422,
    'Downloading or copying the uploaded file failed.',
    'Tải xuống hoặc sao chép tệp đã tải lên thất bại.',
    '下载或复制上传文件失败。',
  ),
  upload_not_finished: entry(45004, 409, 'The upload is not finished.', 'Tệp chưa tải lên xong.', '上传尚未完成。'),
  storage_exceeded: entry(
    45005,
    422,
    'The storage space of this account is used up.',
    'Dung lượng lưu trữ của tài khoản đã hết.',
    '该账号的存储空间已用完。',
  ),

  // Private deployment, clients and templates
  activation_not_needed: entry(
    46001,
    422,
    'This environment does not need activation.',
    'Môi trường này không cần kích hoạt.',
    '当前环境无需激活。',
  ),
  activation_missing: entry(
    46002,
    422,
    'The activation environment is missing.',
    'Thiếu môi trường kích hoạt.',
    '缺少激活环境。',
  ),
  activation_expired: entry(
    46003,
    422,
    'The activation environment has expired.',
    'Môi trường kích hoạt đã hết hạn.',
    '激活环境已过期。',
  ),
  activation_code_expired: entry(
    46004,
    422,
    'The activation code has expired.',
    'Mã kích hoạt đã hết hạn.',
    '激活码已过期。',
  ),
  client_not_supported: entry(
    46005,
    422,
    'This client version is not supported. Please upgrade.',
    'Phiên bản ứng dụng không được hỗ trợ. Vui lòng nâng cấp.',
    '不支持该客户端版本，请升级。',
  ),
  template_type_unknown: entry(47001, 422, 'Unknown template type.', 'Loại mẫu không xác định.', '未知的模板类型。'),
  template_pattern: entry(
    47002,
    422,
    'The value must match regular expression {pattern}.',
    'Giá trị phải khớp biểu thức chính quy {pattern}.',
    '值必须匹配正则表达式 {pattern}。',
  ),
  template_items_exceeded: entry(
    47003,
    422,
    'At most {max} items are allowed.',
    'Chỉ cho phép tối đa {max} mục.',
    '最多允许 {max} 项。',
  ),
  template_deleted: entry(
    47004,
    409,
    'A configuration of a deleted template cannot be edited or copied.',
    'Không thể sửa hoặc sao chép cấu hình của mẫu đã xóa.',
    '模板已删除，无法编辑或复制。',
  ),
  template_not_templatejson: entry(
    47005,
    422,
    'This is not a templatejson file.',
    'Đây không phải là tệp templatejson.',
    '不是 templatejson 文件。',
  ),
  template_version_exists: entry(
    47006,
    422,
    'This version already exists. Delete it first.',
    'Phiên bản này đã tồn tại. Hãy xóa trước.',
    '该版本已存在，请先删除。',
  ),
  template_version_format: entry(
    47007,
    422,
    'The format of the standard or custom version is wrong.',
    'Định dạng phiên bản tiêu chuẩn hoặc tùy chỉnh không đúng.',
    '标准或自定义版本格式错误。',
  ),
  base_os_exists: entry(
    48001,
    422,
    'The model code or base OS version already exists.',
    'Mã kiểu máy hoặc phiên bản OS gốc đã tồn tại.',
    '型号代码或基础 OS 版本已存在。',
  ),
  map_not_recognised: entry(
    48002,
    422,
    'The map type of this account is not recognised.',
    'Không nhận dạng được loại bản đồ của tài khoản.',
    '无法识别该账号的地图类型。',
  ),
} as const satisfies Record<string, Entry>

export type ErrorName = keyof typeof errors
/** Refusals that any call may meet before or around its handler; rows do not list them. */
export const commonErrors = [
  'bad_input',
  'unauthorized',
  'no_permission',
  'not_found',
  'too_large',
  'too_many_requests',
  'internal',
  'unavailable',
  'account_unavailable',
] as const satisfies ErrorName[]
export type CommonError = (typeof commonErrors)[number]

export type ErrorDetails = Record<string, string | number>

/** The message of a refusal in the caller's language, its placeholders filled. */
export const errorMessage = (name: ErrorName, language: Language, details: ErrorDetails = {}): string =>
  errors[name].message[language].replace(/\{(\w+)\}/g, (whole, key: string) => String(details[key] ?? whole))
