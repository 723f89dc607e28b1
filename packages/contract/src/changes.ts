import { pushTitles } from './calls/push_kinds.ts'
import { changedThings } from './changed-things.ts'
import { sectionTitle } from './config/names.ts'
import type { ConfigSection } from './config/names.ts'
import { filled } from './filled.ts'
import { pushDifferenceText, pushSentence } from './push-sentence.ts'
import type { PushDifference, PushFacts } from './push-sentence.ts'
import { text } from './wire.ts'
import type { Language, Text } from './wire.ts'

type Hole<S extends string> = S extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${infer Counted}?${string}` ? Counted : Name) | Hole<Rest>
  : never
const change = <En extends string>(en: En, vi: string, zh: string) => ({ en, vi, 'zh-cn': zh }) as const

/** What the operation log can say of a change. The log keeps the name and what fills `{…}`; a reader's language comes last. */
export const changes = {
  // Anything with a name
  made: change('created', 'đã tạo', '已创建'),
  created: change('created {name}', 'đã tạo {name}', '已创建 {name}'),
  added: change('added {name}', 'đã thêm {name}', '已添加 {name}'),
  changed: change('changed {name}', 'đã sửa {name}', '已修改 {name}'),
  changed_to: change('changed to {name}', 'đã đổi thành {name}', '已改为 {name}'),
  parts_changed: change('changed {name}: {parts}', 'đã sửa {name}: {parts}', '已修改 {name}：{parts}'),
  field_changed: change('{field}: {before} → {after}', '{field}: {before} → {after}', '{field}：{before} → {after}'),
  renamed: change('renamed {from} to {to}', 'đã đổi tên {from} thành {to}', '已将 {from} 重命名为 {to}'),
  renamed_to: change('renamed to {name}', 'đã đổi tên thành {name}', '已重命名为 {name}'),
  copied: change('copied {name}', 'đã sao chép {name}', '已复制 {name}'),
  moved: change('moved {name} to {to}', 'đã chuyển {name} đến {to}', '已将 {name} 移至 {to}'),
  moved_to_place: change('moved to place {place}', 'đã chuyển đến vị trí {place}', '已移至第 {place} 位'),
  deleted: change('deleted {name}', 'đã xóa {name}', '已删除 {name}'),
  canceled: change('canceled {name}', 'đã hủy {name}', '已取消 {name}'),
  revoked: change('revoked {name}', 'đã thu hồi {name}', '已吊销 {name}'),
  disabled: change('disabled', 'đã tắt', '已停用'),
  enabled: change('enabled', 'đã bật', '已启用'),
  person_disabled: change('disabled {name}', 'đã tắt {name}', '已停用 {name}'),
  person_enabled: change('enabled {name}', 'đã bật {name}', '已启用 {name}'),
  secret_renewed: change('renewed the secret of {name}', 'đã đổi khóa bí mật của {name}', '已更新 {name} 的密钥'),
  // Accounts and people
  details_changed: change('details', 'thông tin chi tiết', '详细信息'),
  permissions_limited: change('permissions', 'quyền', '权限'),
  invited: change('invited {name}', 'đã mời {name}', '已邀请 {name}'),
  password_set_by_link: change('set the own password by a link', 'đã đặt mật khẩu bằng liên kết', '已通过链接设置密码'),
  password_set: change('password', 'mật khẩu', '密码'),
  entered: change('entered {name}', 'đã vào {name}', '已进入 {name}'),
  left: change('left {name}', 'đã rời {name}', '已离开 {name}'),
  until: change('until {time}', 'đến {time}', '有效期至 {time}'),
  until_further_notice: change('until further notice', 'không có thời hạn', '永久有效'),
  places_set: change('{count} {count?device:devices}', '{count} thiết bị', '{count} 台设备'),
  space_set: change(
    '{area} of {account} set to {size}',
    '{area} của {account}: {size}',
    '{account} 的{area}设为 {size}',
  ),
  preferences_saved: change('preferences: {fields}', 'tùy chọn: {fields}', '偏好设置：{fields}'),
  own_details_changed: change('changed own details', 'đã sửa thông tin của mình', '已修改本人信息'),
  own_password_changed: change('changed own password', 'đã đổi mật khẩu của mình', '已修改本人密码'),
  ended: change('ended', 'đã kết thúc', '已结束'),
  sessions_ended: change(
    'ended {count} {count?session:sessions}',
    'đã kết thúc {count} phiên',
    '已结束 {count} 个会话',
  ),
  totp_on: change('switched on two-factor sign-in', 'đã bật xác thực hai bước', '已开启两步验证'),
  totp_off: change('switched off two-factor sign-in', 'đã tắt xác thực hai bước', '已关闭两步验证'),
  totp_off_of: change(
    'switched off two-factor sign-in of {name}',
    'đã tắt xác thực hai bước của {name}',
    '已关闭 {name} 的两步验证',
  ),
  passkey_added: change('added the passkey {name}', 'đã thêm passkey {name}', '已添加通行密钥 {name}'),
  passkey_removed: change('removed the passkey {name}', 'đã xóa passkey {name}', '已删除通行密钥 {name}'),
  identity_linked: change('linked an external identity', 'đã liên kết danh tính bên ngoài', '已关联外部身份'),
  identity_unlinked: change(
    'unlinked the external identity',
    'đã gỡ liên kết danh tính bên ngoài',
    '已解除外部身份关联',
  ),
  role_created: change(
    'created {code} with {count} {count?permission:permissions}',
    'đã tạo {code} với {count} quyền',
    '已创建 {code}，含 {count} 项权限',
  ),
  role_changed: change(
    'changed to {code}, weight {weight}',
    'đã đổi thành {code}, trọng số {weight}',
    '已改为 {code}，权重 {weight}',
  ),
  permissions_changed: change('permissions of {code}: {names}', 'quyền của {code}: {names}', '{code} 的权限：{names}'),
  permissions_kept: change(
    'permissions of {code}: unchanged',
    'quyền của {code}: không thay đổi',
    '{code} 的权限：无变化',
  ),
  // Devices
  registered: change('registered {sn}', 'đã đăng ký {sn}', '已注册 {sn}'),
  fields_changed: change('changed tags and fields', 'đã sửa nhãn và trường', '已修改标签和字段'),
  many_fields_changed: change(
    '{count} {count?device:devices}: changed tags and fields',
    '{count} thiết bị: đã sửa nhãn và trường',
    '{count} 台设备：已修改标签和字段',
  ),
  moved_to: change('moved to {group}', 'đã chuyển đến {group}', '已移至 {group}'),
  many_moved_to: change(
    '{count} {count?device:devices}: moved to {group}',
    '{count} thiết bị: đã chuyển đến {group}',
    '{count} 台设备：已移至 {group}',
  ),
  quarantine_lifted: change('quarantine of {sn} lifted', 'đã gỡ cách ly {sn}', '已解除 {sn} 的隔离'),
  secret_taken: change('secret of {sn} taken away', 'đã thu hồi khóa bí mật của {sn}', '已收回 {sn} 的密钥'),
  deregistered: change('deregistered {sn}', 'đã hủy đăng ký {sn}', '已注销 {sn}'),
  many_deregistered: change(
    '{count} {count?device:devices}: deregistered',
    '{count} thiết bị: đã hủy đăng ký',
    '{count} 台设备：已注销',
  ),
  scrapped: change('scrapped {sn}', 'đã loại bỏ {sn}', '已报废 {sn}'),
  to_be_scrapped: change('to be scrapped: {sn}', 'sẽ bị loại bỏ: {sn}', '将报废：{sn}'),
  scrap_waits: change(
    '{count} {count?device waits until it is:devices wait until they are} scrapped',
    '{count} thiết bị đang chờ bị loại bỏ',
    '{count} 台设备等待报废',
  ),
  scrap_canceled: change(
    'canceled: {count} {count?device stays:devices stay}',
    'đã hủy: giữ lại {count} thiết bị',
    '已取消：保留 {count} 台设备',
  ),
  restored: change('restored {sn}', 'đã khôi phục {sn}', '已恢复 {sn}'),
  noted: change('changed the note of {sn}', 'đã sửa ghi chú của {sn}', '已修改 {sn} 的备注'),
  marked_lost: change('marked {sn} as lost', 'đã đánh dấu {sn} là thất lạc', '已将 {sn} 标记为丢失'),
  lost_changed: change(
    'changed what the lost {sn} shows',
    'đã sửa nội dung hiển thị trên {sn} bị thất lạc',
    '已修改丢失设备 {sn} 的显示内容',
  ),
  lost_ring_stopped: change('stopped the ringing of {sn}', 'đã tắt chuông của {sn}', '已停止 {sn} 响铃'),
  lost_wiped: change('ordered {sn} to be erased', 'đã yêu cầu xóa dữ liệu của {sn}', '已下令抹掉 {sn}'),
  found_again: change('found {sn} again', 'đã tìm lại được {sn}', '已找回 {sn}'),
  located: change('was asked where it is', 'được hỏi vị trí hiện tại', '已请求当前位置'),
  log_asked: change('asked {terminal} for its log', 'đã yêu cầu nhật ký của {terminal}', '已请求 {terminal} 的日志'),
  remote_opened: change('opened {sn}', 'đã mở {sn}', '已打开 {sn}'),
  remote_joined: change('joined the session with {sn}', 'đã tham gia phiên với {sn}', '已加入与 {sn} 的会话'),
  control_moved: change('gave control to {name}', 'đã trao quyền điều khiển cho {name}', '已将控制权交给 {name}'),
  control_given_up: change('took control from everybody', 'đã thu hồi quyền điều khiển', '已收回控制权'),
  remote_closed: change('ended the session with {sn}', 'đã kết thúc phiên với {sn}', '已结束与 {sn} 的会话'),
  remote_renewed: change('added {count} {count?period:periods}', 'đã thêm {count} kỳ', '已增加 {count} 个时段'),
  renewal_taken_back: change('took back the renewal', 'đã thu hồi gia hạn', '已撤销续期'),
  recording_watched: change('watched the recording of {sn}', 'đã xem bản ghi của {sn}', '已查看 {sn} 的录像'),
  recording_removed: change('deleted the recording of {sn}', 'đã xóa bản ghi của {sn}', '已删除 {sn} 的录像'),
  configured: change('configured {sections}', 'đã cấu hình {sections}', '已配置{sections}'),
  profile_used: change('is used by {name}', 'được dùng bởi {name}', '由 {name} 使用'),
  profile_left: change('is no longer used by {name}', 'không còn được dùng bởi {name}', '不再由 {name} 使用'),
  config_differs: change('{differences}', '{differences}', '{differences}'),
  config_copied: change(
    'copied {sections} to {places} {places?place:places}',
    'đã sao chép {sections} đến {places} nơi',
    '已将{sections}复制到 {places} 处',
  ),
  config_reverted: change(
    'went back to version {version}: {sections}',
    'đã quay lại phiên bản {version}: {sections}',
    '已恢复到版本 {version}：{sections}',
  ),
  config_named: change('named its configuration {name}', 'đã đặt tên cấu hình là {name}', '已将配置命名为{name}'),
  config_aborted: change(
    'aborted the steps of version {version} and went back: {sections}',
    'đã dừng triển khai phiên bản {version} và khôi phục: {sections}',
    '已中止版本 {version} 的分步推送并恢复：{sections}',
  ),
  configs_sent_again: change(
    'configurations of {count} {count?device:devices} sent again',
    'đã gửi lại cấu hình của {count} thiết bị',
    '已重新下发 {count} 台设备的配置',
  ),
  alert_acknowledged: change('acknowledged {name}', 'đã xác nhận {name}', '已确认 {name}'),
  alert_resolved: change('resolved {name}', 'đã giải quyết {name}', '已解决 {name}'),
  alert_assigned: change(
    'assigned {name} to {assignee}',
    'đã giao {name} cho {assignee}',
    '已将 {name} 分配给 {assignee}',
  ),
  alert_unassigned: change('assigned {name} to nobody', 'đã bỏ giao {name}', '已取消 {name} 的分配'),
  alert_noted: change('changed the note of {name}', 'đã sửa ghi chú của {name}', '已修改 {name} 的备注'),
  alert_silenced: change(
    'silenced {name} for {hours} {hours?hour:hours}',
    'đã tắt thông báo {name} trong {hours} giờ',
    '{name} 已静默 {hours} 小时',
  ),
  alert_speaks: change('{name} speaks again', 'đã bật lại thông báo {name}', '{name} 已恢复通知'),
  fence_set: change('set at {count} {count?place:places}', 'đã áp dụng cho {count} nơi', '已应用到 {count} 处'),
  fence_closed: change(
    '{count} {count?place:places}: no fence',
    '{count} nơi: không có hàng rào',
    '{count} 处：不使用围栏',
  ),
  fence_reset: change(
    '{count} {count?place inherits its:places inherit their} fence again',
    '{count} nơi kế thừa lại hàng rào',
    '{count} 处已恢复继承围栏',
  ),
  reset: change('reset {sections}', 'đã đặt lại {sections}', '已重置{sections}'),
  uninstalled: change('uninstalled {app}', 'đã gỡ cài đặt {app}', '已卸载 {app}'),
  permission_set: change(
    '{app}: {permission} is {state}',
    '{app}: {permission}: {state}',
    '{app}：{permission} 为{state}',
  ),
  folder_made: change(
    'created folder {name} in {path}',
    'đã tạo thư mục {name} trong {path}',
    '已在 {path} 中新建文件夹 {name}',
  ),
  file_asked: change('asked for {path}', 'đã yêu cầu {path}', '已请求 {path}'),
  file_sent: change('sends {path}', 'gửi {path}', '发送 {path}'),
  // Apps
  app_listed: change('listed {name}', 'đã đưa {name} lên kho', '已上架 {name}'),
  app_delisted: change('delisted {name}', 'đã gỡ {name} khỏi kho', '已下架 {name}'),
  version_added: change('added {name} {version}', 'đã thêm {name} {version}', '已添加 {name} {version}'),
  version_offered: change('offers {name} {version}', 'cung cấp {name} {version}', '已改为提供 {name} {version}'),
  version_deleted: change('deleted {name} {version}', 'đã xóa {name} {version}', '已删除 {name} {version}'),
  version_downloaded: change('downloaded {name} {version}', 'đã tải {name} {version}', '已下载 {name} {version}'),
  required_of: change('required {name} for {group}', 'yêu cầu {name} cho {group}', '为 {group} 设为必装 {name}'),
  required_of_all: change(
    'required {name} for all devices',
    'yêu cầu {name} cho tất cả thiết bị',
    '为全部设备设为必装 {name}',
  ),
  required_ran: change('looks at {name} now', 'kiểm tra {name} ngay', '立即检查 {name}'),
  signer_changed: change(
    'added {name} {version}, signed by another key',
    'đã thêm {name} {version}, ký bằng khóa khác',
    '已添加 {name} {version}，签名不同',
  ),
  // OS versions
  os_package_added: change('added a package to {name}', 'đã thêm gói cho {name}', '已为 {name} 添加安装包'),
  os_differences_made: change('makes differences for {name}', 'tạo gói chênh lệch cho {name}', '为 {name} 生成差分包'),
  os_package_removed: change('removed a package of {name}', 'đã gỡ gói của {name}', '已移除 {name} 的安装包'),
  retried: change('retried {name}', 'đã thử lại {name}', '已重试 {name}'),
  os_package_retried: change('tried a package of {name} again', 'đã thử lại gói của {name}', '已重试 {name} 的安装包'),
  os_audience: change('set who may have {name}', 'đã đặt phạm vi phát hành {name}', '已设置 {name} 的开放范围'),
  os_step_discarded: change('discarded a step of {name}', 'đã bỏ một bước của {name}', '已放弃 {name} 的一个步骤'),
  os_launched: change('released {name}', 'đã phát hành {name}', '已发布 {name}'),
  os_pre_released: change('pre-released {name}', 'đã phát hành thử {name}', '已预发布 {name}'),
  os_offline: change('took {name} offline', 'đã ngừng phát hành {name}', '已下线 {name}'),
  os_offline_canceling: change(
    'took {name} offline and canceled its pushes',
    'đã ngừng phát hành {name} và hủy các lượt đẩy',
    '已下线 {name} 并取消其推送',
  ),
  downloaded: change('downloaded {name}', 'đã tải {name}', '已下载 {name}'),
  os_file_downloaded: change('downloaded {file} of {name}', 'đã tải {file} của {name}', '已下载 {name} 的 {file}'),
  os_build_started: change(
    'began to build {name}, version {version}',
    'đã bắt đầu tạo {name}, phiên bản {version}',
    '已开始构建 {name}，版本 {version}',
  ),
  os_build_retried: change('tried the build of {name} again', 'đã thử lại lần tạo {name}', '已重试 {name} 的构建'),
  os_build_canceled: change('canceled the build of {name}', 'đã hủy lần tạo {name}', '已取消 {name} 的构建'),
  os_build_deleted: change('deleted a build of {name}', 'đã xóa một lần tạo {name}', '已删除 {name} 的一次构建'),
  os_custom_abandoned: change('abandoned {name}', 'đã ngừng dùng {name}', '已废弃 {name}'),
  os_custom_restored: change('took up {name} again', 'đã dùng lại {name}', '已恢复 {name}'),
  oscs_file_retried: change('checked {name} again', 'đã kiểm tra lại {name}', '已重新校验 {name}'),
  os_packages_offered: change(
    'offers added packages of {name}',
    'cung cấp các gói đã thêm của {name}',
    '提供 {name} 新增的安装包',
  ),
  os_key_registered: change('registered a signing key', 'đã đăng ký khóa ký', '已登记签名密钥'),
  os_key_changed: change('changed the signing key', 'đã đổi khóa ký', '已更换签名密钥'),
  // Registration
  codes_made: change(
    'made {count} {count?code:codes} of {name}',
    'đã tạo {count} mã của {name}',
    '已生成 {name} 的 {count} 个二维码',
  ),
  permanent_created: change('created a permanent code', 'đã tạo mã cố định', '已生成永久二维码'),
  revoked_after: change(
    'revoked after {count} {count?use:uses}',
    'đã thu hồi sau {count} lần dùng',
    '使用 {count} 次后已吊销',
  ),
  android_created: change(
    'created for Android Enterprise',
    'đã tạo cho Android Enterprise',
    '已为 Android Enterprise 生成',
  ),
  android_used: change('used for Android Enterprise', 'đã dùng cho Android Enterprise', '已用于 Android Enterprise'),
  let_in: change('let {name} in', 'đã duyệt {name}', '已批准 {name}'),
  not_let_in: change('refused {name}', 'đã từ chối {name}', '已拒绝 {name}'),
  kept: change('kept {name}', 'đã lưu {name}', '已保存 {name}'),
  // Work that takes its time
  rows_imported: change('imported {count} {count?row:rows}', 'đã nhập {count} dòng', '已导入 {count} 行'),
  sheet_started: change(
    '{count} {count?device:devices} from a spreadsheet for {account}',
    '{count} thiết bị từ bảng tính cho {account}',
    '通过表格为 {account} 导入 {count} 台设备',
  ),
  policy_started: change(
    '{count} {count?device:devices} from {source} for the policy {policy}',
    '{count} thiết bị từ {source} cho chính sách {policy}',
    '从{source}为策略 {policy} 导入 {count} 台设备',
  ),
  policy_changed: change(
    'changed to {name}, {days} {days?day:days}',
    'đã đổi thành {name}, {days} ngày',
    '已改为 {name}，{days} 天',
  ),
  version_imported: change('imported {name} {version}', 'đã nhập {name} {version}', '已导入 {name} {version}'),
  activation_issued: change(
    'issued for {name}: {accounts} {accounts?customer:customers}, {devices} {devices?device:devices}',
    'đã cấp cho {name}: {accounts} khách hàng, {devices} thiết bị',
    '已为 {name} 签发：{accounts} 个客户，{devices} 台设备',
  ),
  activation_renewed: change('renewed {name}', 'đã gia hạn {name}', '已续期 {name}'),
  activation_eliminated: change('eliminated {name}', 'đã hủy {name}', '已作废 {name}'),
  activation_reported: change('{name} is {state}', '{name}: {state}', '{name}：{state}'),
  server_activated: change('activated this server', 'đã kích hoạt máy chủ này', '已激活本服务器'),
  policy_left: change('took {sn} off', 'đã gỡ {sn}', '已移出 {sn}'),
  canceled_after: change(
    'canceled after {done} of {total}',
    'đã hủy sau {done}/{total}',
    '完成 {done}/{total} 后已取消',
  ),
  devices_exported: change(
    '{count} named devices, as {format}',
    '{count} thiết bị đã chọn, dạng {format}',
    '{count} 台指定设备，格式 {format}',
  ),
  matches_exported: change(
    'devices that match, as {format}',
    'các thiết bị khớp điều kiện, dạng {format}',
    '符合条件的设备，格式 {format}',
  ),
  list_exported: change('{path} as {format}', '{path} dạng {format}', '{path}，格式 {format}'),
  push_made: change('{push}', '{push}', '{push}'),
  push_changed: change('{difference}', '{difference}', '{difference}'),
  // Of rows that were written before pushes kept what they are for.
  pushed: change(
    'pushed to {count} {count?device:devices}: {type}',
    'đã đẩy đến {count} thiết bị: {type}',
    '已向 {count} 台设备推送：{type}',
  ),
  pushed_to: change(
    'pushed to {to}, {count} {count?device:devices}: {type}',
    'đã đẩy đến {to}, {count} thiết bị: {type}',
    '已向 {to}（{count} 台设备）推送：{type}',
  ),
  push_canceled: change(
    'canceled {canceled}, asked {asked}',
    'đã hủy {canceled}, đã yêu cầu {asked}',
    '已取消 {canceled}，已请求 {asked}',
  ),
  push_paused: change('paused', 'đã tạm dừng', '已暂停'),
  push_resumed: change('resumed', 'đã tiếp tục', '已继续'),
  push_approved: change('approved', 'đã phê duyệt', '已批准'),
  push_rejected: change('rejected', 'đã từ chối', '已拒绝'),
  push_approval_changed: change(
    'pushes need an approval from {from} {from?device:devices} on (0: never)',
    'lượt đẩy cần phê duyệt từ {from} thiết bị (0: không cần)',
    '推送从 {from} 台设备起需要批准（0：不需要）',
  ),
  push_scheduled: change('{type}, {cron} ({zone})', '{type}, {cron} ({zone})', '{type}，{cron}（{zone}）'),
  push_retried: change('retried {count}', 'đã thử lại {count}', '已重试 {count}'),
  report_paused: change('paused', 'đã tạm dừng', '已暂停'),
  report_resumed: change('resumed', 'đã tiếp tục', '已恢复'),
  report_asked: change('asked to be sent now', 'đã yêu cầu gửi ngay', '要求立即发送'),
  test_queued: change('queued a test', 'đã đưa lượt gửi thử vào hàng đợi', '测试已加入队列'),
  queued_again: change('queued {kid} again', 'đã đưa lại {kid} vào hàng đợi', '{kid} 已重新加入队列'),
} as const satisfies Record<string, Text>
export type ChangeName = keyof typeof changes

/** Words that fill a change and have a name in each language themselves. */
const words = {
  ...pushTitles,
  // Fields of accounts and people
  name: text('name', 'tên', '名称'),
  organization_name: text('organization', 'tổ chức', '组织'),
  remark: text('remark', 'ghi chú', '备注'),
  terminal_max: text('devices', 'số thiết bị', '设备数'),
  user_max: text('user accounts', 'số tài khoản người dùng', '用户账号数'),
  expire_time: text('expires', 'thời hạn', '有效期'),
  fae_kid: text('technical support', 'hỗ trợ kỹ thuật', '技术支持'),
  sub_accounts_allowed: text('sub-accounts', 'tài khoản con', '子账号'),
  roles: text('roles', 'vai trò', '角色'),
  password: text('password', 'mật khẩu', '密码'),
  language: text('language', 'ngôn ngữ', '语言'),
  zone_id: text('time zone', 'múi giờ', '时区'),
  map_type: text('map', 'bản đồ', '地图'),
  // Sections of a configuration
  collection: text('collection', 'thu thập dữ liệu', '数据采集'),
  url_lists: text('URL lists', 'danh sách URL', '网址名单'),
  // Activations
  activating: text('not in use yet', 'chưa dùng', '尚未使用'),
  activated: text('activated', 'đã kích hoạt', '已激活'),
  expired: text('expired', 'đã hết hạn', '已过期'),
  eliminated: text('eliminated', 'đã hủy', '已作废'),
  error: text('in error', 'bị lỗi', '异常'),
  // Permissions of an app
  allow: text('allowed', 'cho phép', '允许'),
  deny: text('denied', 'từ chối', '拒绝'),
  default: text('default', 'mặc định', '默认'),
  // Places and sources
  no_group: text('no group', 'chưa có nhóm', '未分组'),
  root: text('the top', 'cấp cao nhất', '顶层'),
  sheet: text('a spreadsheet', 'bảng tính', '表格'),
  mes: text('the MES', 'MES', 'MES'),
  file_disk: text('file disk', 'dung lượng tệp', '文件磁盘空间'),
  app_center: text('app center space', 'dung lượng kho ứng dụng', '应用中心空间'),
} satisfies Record<string, Text>
type ChangeWord = keyof typeof words | ConfigSection

/**
 * Text and numbers are said as they are, a list by the names of its words, a push by its sentence, what was changed of one part
 * by part, what was put into words before in the reader's.
 */
type Detail = string | number | readonly ChangeWord[] | PushFacts | PushDifference | Text
export type ChangeDetails<N extends ChangeName> = Record<Hole<(typeof changes)[N]['en']>, Detail>
/** A change and what fills it, which is left out where nothing does. */
export type ChangeSaid = {
  [N in ChangeName]: [Hole<(typeof changes)[N]['en']>] extends [never]
    ? [name: N]
    : [name: N, details: ChangeDetails<N>]
}[ChangeName]

const wordOf = (word: ChangeWord): Text | undefined =>
  (words as Partial<Record<ChangeWord, Text>>)[word] ?? sectionTitle(word)

const isList = (value: Detail): value is readonly ChangeWord[] => Array.isArray(value)

/** A change in the reader's language, with times by the clock of a zone. */
export function changeText(
  name: ChangeName,
  language: Language,
  details: Record<string, Detail> = {},
  zone = 'UTC',
): string {
  const comma = language === 'zh-cn' ? '、' : ', '
  const said = (value: Detail): string | number => {
    if (isList(value)) return value.map((word) => wordOf(word)?.[language] ?? word).join(comma)
    if (typeof value !== 'object') return value
    if ('en' in value) return value[language]
    return 'others' in value ? pushDifferenceText(value, { language, zone }) : pushSentence(value, { language, zone })
  }
  const parts = Object.entries(details).map(([key, value]) => [key, said(value)])
  return filled(changes[name][language], Object.fromEntries(parts))
}

/** All that the log may say of changes, for tests. */
export const changeTexts: Record<string, Text> = { ...words, ...changedThings, ...changes }
