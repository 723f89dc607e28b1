import { capitalised, informationLists } from './os-information.ts'
import type { InformationName } from './os-information.ts'
import { text } from './wire.ts'
import type { Text } from './wire.ts'

/** Rows of the information lists stand in one table; people know them by their list. */
const informationThings = Object.fromEntries(
  Object.values(informationLists).map(({ name, one }) => [name, capitalised(one)]),
) as Record<InformationName, Text>

/** What something was done to, by its table. */
export const changedThings = {
  account: text('Account', 'Tài khoản', '账号'),
  alert: text('Alert', 'Cảnh báo', '告警'),
  alert_rule: text('Alert rule', 'Quy tắc cảnh báo', '告警规则'),
  app: text('App', 'Ứng dụng', '应用'),
  app_requirement: text('Required app', 'Ứng dụng bắt buộc', '必装应用'),
  api_authorisation: text('API authorization', 'Cấp quyền API', 'API 授权'),
  app_category: text('App category', 'Danh mục ứng dụng', '应用分类'),
  app_version: text('App version', 'Phiên bản ứng dụng', '应用版本'),
  api_token: text('API token', 'Mã truy cập API', 'API 令牌'),
  batch_job: text('Spreadsheet', 'Bảng tính', '表格'),
  config_file: text('Configuration file', 'Tệp cấu hình', '配置文件'),
  config_profile: text('Configuration profile', 'Hồ sơ cấu hình', '配置集'),
  configuration: text('Configuration', 'Cấu hình', '配置'),
  custom_field: text('Device field', 'Trường thiết bị', '设备字段'),
  device_transfer: text('File transfer', 'Lượt truyền tệp', '文件传输'),
  disk_space: text('Disk space', 'Dung lượng', '磁盘空间'),
  electronic_fence: text('Electronic fence', 'Hàng rào điện tử', '电子围栏'),
  enrolment_apk: text('Agent for set-up', 'Phần mềm quản lý', '初始化管理程序'),
  file_cloud: text('File', 'Tệp', '文件'),
  istage_config: text('iStage configuration', 'Cấu hình iStage', 'iStage 配置'),
  istage_template: text('iStage template', 'Mẫu iStage', 'iStage 模板'),
  list_export: text('Export', 'Lượt xuất', '导出'),
  list_report: text('Scheduled report', 'Báo cáo định kỳ', '定期报表'),
  maintenance_window: text('Maintenance window', 'Khung bảo trì', '维护时段'),
  menu_tree: text('Menu entry', 'Mục menu', '菜单项'),
  os_key: text('Signing key', 'Khóa ký', '签名密钥'),
  os_uid: text('UID', 'UID', 'UID'),
  os_custom: text('Custom OS', 'OS tùy chỉnh', '定制 OS'),
  oscs_base: text('Base OS version', 'Phiên bản OS gốc', '基础 OS 版本'),
  oscs_model: text('Model code', 'Mã kiểu máy', '型号代码'),
  os_version: text('OS version', 'Phiên bản OS', 'OS 版本'),
  activation: text('Activation', 'Kích hoạt', '激活'),
  policy: text('Policy', 'Chính sách', '策略'),
  push_schedule: text('Recurring push', 'Lượt đẩy định kỳ', '周期推送'),
  push_template: text('Push template', 'Mẫu lượt đẩy', '推送模板'),
  push_task: text('Push', 'Tác vụ đẩy', '推送任务'),
  qrcode: text('QR code', 'Mã QR', '二维码'),
  remote_recording: text('Recording', 'Bản ghi', '录像'),
  remote_session: text('Remote session', 'Phiên từ xa', '远程会话'),
  remote_settings: text('Remote hands', 'Điều khiển từ xa', '远程协助'),
  role: text('Role', 'Vai trò', '角色'),
  scrap_schedule: text('Scrapping', 'Lượt loại bỏ', '报废'),
  scrapped_sn: text('Scrapped SN', 'SN đã loại bỏ', '已报废 SN'),
  session: text('Session', 'Phiên đăng nhập', '会话'),
  terminal: text('Device', 'Thiết bị', '设备'),
  terminal_dynamic_group: text('Dynamic group', 'Nhóm động', '动态分组'),
  terminal_export: text('Device export', 'Lượt xuất thiết bị', '设备导出'),
  terminal_group: text('Device group', 'Nhóm thiết bị', '设备分组'),
  user_account: text('User account', 'Tài khoản người dùng', '用户账号'),
  webhook: text('Webhook', 'Webhook', 'Webhook'),
  webhook_delivery: text('Webhook delivery', 'Lượt gửi webhook', 'Webhook 投递'),
  ...informationThings,
} satisfies Record<string, Text>
export type ChangedThing = keyof typeof changedThings
