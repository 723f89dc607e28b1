import { agentFaults } from './agent-faults.ts'
import { istageFaults } from './istage/faults.ts'
import { text } from './wire.ts'
import type { Language, Text } from './wire.ts'

/**
 * What can be wrong with a field, in words of the people who fill it in. Schemas name an entry by `shaped` and `wrong`
 * (wire.ts); what zod finds by itself is named below. `{name}` is filled from the fault's details.
 */
export const fieldFaults = {
  // What zod finds
  required: text('Required.', 'Bắt buộc.', '必填。'),
  invalid: text('Not valid.', 'Không hợp lệ.', '无效。'),
  not_text: text('Must be text.', 'Phải là văn bản.', '必须是文本。'),
  not_number: text('Must be a number.', 'Phải là số.', '必须是数字。'),
  not_whole_number: text('Must be a whole number.', 'Phải là số nguyên.', '必须是整数。'),
  not_yes_or_no: text('Must be yes or no.', 'Phải là có hoặc không.', '必须是“是”或“否”。'),
  not_list: text('Must be a list.', 'Phải là danh sách.', '必须是列表。'),
  not_object: text('Must be a group of fields.', 'Phải là một nhóm trường.', '必须是一组字段。'),
  not_empty: text('Must be left out.', 'Không được có giá trị.', '不能有值。'),
  not_one_of: text('Must be one of: {values}.', 'Phải là một trong: {values}.', '必须是以下之一：{values}。'),
  too_short: text('At least {min} characters.', 'Ít nhất {min} ký tự.', '至少 {min} 个字符。'),
  too_long: text('At most {max} characters.', 'Nhiều nhất {max} ký tự.', '最多 {max} 个字符。'),
  not_length: text('Exactly {min} characters.', 'Đúng {min} ký tự.', '必须为 {min} 个字符。'),
  too_few: text('At least {min} entries.', 'Ít nhất {min} mục.', '至少 {min} 项。'),
  too_many: text('At most {max} entries.', 'Nhiều nhất {max} mục.', '最多 {max} 项。'),
  too_small: text('At least {min}.', 'Ít nhất {min}.', '不小于 {min}。'),
  too_big: text('At most {max}.', 'Nhiều nhất {max}.', '不大于 {max}。'),
  not_above: text('More than {min}.', 'Lớn hơn {min}.', '必须大于 {min}。'),
  not_below: text('Less than {max}.', 'Nhỏ hơn {max}.', '必须小于 {max}。'),
  not_multiple: text('Must be a multiple of {of}.', 'Phải là bội số của {of}.', '必须是 {of} 的倍数。'),
  not_email: text('Not an e-mail address.', 'Không phải địa chỉ email.', '邮箱地址无效。'),
  not_url: text(
    'Not a web address. It begins with http:// or https://.',
    'Không phải địa chỉ web. Địa chỉ bắt đầu bằng http:// hoặc https://.',
    '网址无效，应以 http:// 或 https:// 开头。',
  ),
  not_kid: text('Not the ID of anything.', 'Không phải mã định danh hợp lệ.', '标识无效。'),
  not_date: text('Not a date.', 'Không phải ngày hợp lệ.', '日期无效。'),
  not_date_time: text('Not a date and time.', 'Không phải ngày giờ hợp lệ.', '日期时间无效。'),
  keys_unknown: text('Not known here: {keys}.', 'Không có ở đây: {keys}.', '未知字段：{keys}。'),

  // Shapes of texts
  illegal_character: text(
    'Contains a character that is not allowed.',
    'Có ký tự không được phép.',
    '包含不允许的字符。',
  ),
  control_character: text(
    'Line breaks and control characters are not allowed.',
    'Không được có ký tự xuống dòng hoặc ký tự điều khiển.',
    '不能包含换行符或控制字符。',
  ),
  login_name: text(
    '4 to 32 characters: letters, digits, dot, underscore, hyphen and at sign.',
    'Từ 4 đến 32 ký tự: chữ cái, chữ số, dấu chấm, gạch dưới, gạch nối và dấu @.',
    '4 至 32 个字符：字母、数字、点、下划线、连字符和 @。',
  ),
  password_hash: text(
    'Not a password as a client sends it (SHA-1, hexadecimal).',
    'Không phải mật khẩu như ứng dụng gửi đi (SHA-1, hệ thập lục phân).',
    '不是客户端发送的密码格式（SHA-1，十六进制）。',
  ),
  phone: text(
    'Not a phone number. Write 5 to 20 digits; +, spaces, brackets, dots and hyphens are allowed.',
    'Không phải số điện thoại. Nhập từ 5 đến 20 chữ số; được dùng dấu +, khoảng trắng, ngoặc, dấu chấm và gạch nối.',
    '电话号码无效。请输入 5 至 20 位数字，可包含 +、空格、括号、点和连字符。',
  ),
  permission_pattern: text('Not the name of a permission.', 'Không phải tên quyền.', '不是权限名称。'),
  menu_code: text(
    'Begins with a letter; letters, digits, colon, underscore and hyphen only, 80 at most.',
    'Bắt đầu bằng chữ cái; chỉ gồm chữ cái, chữ số, dấu hai chấm, gạch dưới và gạch nối, nhiều nhất 80 ký tự.',
    '以字母开头，只能包含字母、数字、冒号、下划线和连字符，最多 80 个字符。',
  ),
  menu_path: text(
    'A path of the console (/…) or a web address.',
    'Phải là đường dẫn trong bảng điều khiển (/…) hoặc địa chỉ web.',
    '应为控制台路径（/…）或网址。',
  ),
  role_code: text('Letters only, 32 at most.', 'Chỉ gồm chữ cái, nhiều nhất 32 ký tự.', '只能包含字母，最多 32 个。'),
  app_package: text(
    'Names of letters, digits and underscores, joined by dots, each beginning with a letter.',
    'Các tên gồm chữ cái, chữ số và dấu gạch dưới, nối bằng dấu chấm, mỗi tên bắt đầu bằng chữ cái.',
    '由点连接的名称，每段以字母开头，只含字母、数字和下划线。',
  ),
  cert_sha1: text('Exactly 40 hexadecimal digits.', 'Đúng 40 chữ số thập lục phân.', '必须为 40 位十六进制数字。'),
  api_method: text('Write it as class.method.', 'Viết theo dạng class.method.', '请写成 class.method。'),
  client_code: text('Exactly 5 letters or digits.', 'Đúng 5 chữ cái hoặc chữ số.', '必须为 5 位字母或数字。'),
  code_of_2: text('Exactly 2 letters or digits.', 'Đúng 2 chữ cái hoặc chữ số.', '必须为 2 位字母或数字。'),
  code_of_2_letters: text('Exactly 2 capital letters.', 'Đúng 2 chữ cái viết hoa.', '必须为 2 位大写字母。'),
  code_of_1_letter: text('Exactly 1 capital letter.', 'Đúng 1 chữ cái viết hoa.', '必须为 1 位大写字母。'),
  reserve_code: text(
    'Two digits or letters, for example 01, A1, FF.',
    'Hai chữ số hoặc chữ cái, ví dụ 01, A1, FF.',
    '两位数字或字母，例如 01、A1、FF。',
  ),
  base_os_version: text(
    'Letters, digits, underscores and dots only.',
    'Chỉ gồm chữ cái, chữ số, gạch dưới và dấu chấm.',
    '只能包含字母、数字、下划线和点。',
  ),
  base_os_version_name: text(
    'Write it as project_version, for example m102_9.00.123.',
    'Nhập dạng dựán_phiênbản, ví dụ m102_9.00.123.',
    '格式应为“项目_版本”，例如 m102_9.00.123。',
  ),
  name_plain: text(
    'Letters, digits, underscores and hyphens only.',
    'Chỉ gồm chữ cái, chữ số, gạch dưới và gạch nối.',
    '只能包含字母、数字、下划线和连字符。',
  ),
  name_special: text(
    'Letters, digits, underscores and hyphens only, with single spaces between words.',
    'Chỉ gồm chữ cái, chữ số, gạch dưới và gạch nối, giữa các từ có một khoảng trắng.',
    '只能包含文字、数字、下划线和连字符，词之间可有一个空格。',
  ),
  schedule_version: text(
    '1 to 64 letters, digits, dots, underscores and hyphens.',
    'Từ 1 đến 64 chữ cái, chữ số, dấu chấm, gạch dưới và gạch nối.',
    '1 至 64 个字母、数字、点、下划线或连字符。',
  ),
  preference_key: text(
    'Not something that the console remembers.',
    'Không phải tùy chọn của bảng điều khiển.',
    '不是控制台可保存的偏好。',
  ),
  numbers_by_commas: text('Numbers separated by commas.', 'Các số cách nhau bằng dấu phẩy.', '应为以逗号分隔的数字。'),
  component_name: text(
    'Write it as package/class, for example com.example.agent/.AdminReceiver.',
    'Nhập dạng gói/lớp, ví dụ com.example.agent/.AdminReceiver.',
    '格式应为“包名/类名”，例如 com.example.agent/.AdminReceiver。',
  ),
  signature_checksum: text(
    'Not a SHA-256 checksum: 43 characters of base64url, or 64 hexadecimal digits.',
    'Không phải mã kiểm tra SHA-256: 43 ký tự base64url hoặc 64 chữ số thập lục phân.',
    '不是 SHA-256 校验值：应为 43 个 base64url 字符或 64 位十六进制数字。',
  ),
  extra_key: text(
    '1 to 100 letters, digits, underscores, dots, colons and hyphens.',
    'Từ 1 đến 100 chữ cái, chữ số, gạch dưới, dấu chấm, dấu hai chấm và gạch nối.',
    '1 至 100 个字母、数字、下划线、点、冒号或连字符。',
  ),
  android_locale: text(
    'Write it as language_REGION, for example vi_VN.',
    'Nhập dạng ngôn ngữ_VÙNG, ví dụ vi_VN.',
    '格式应为“语言_地区”，例如 vi_VN。',
  ),
  file_name_bytes: text(
    'Longer than the {max} bytes that devices keep of a name. Letters with accents take 2 or 3 bytes each, Chinese characters 3.',
    'Dài hơn {max} byte mà thiết bị lưu được cho một tên. Mỗi chữ có dấu chiếm 2 hoặc 3 byte, mỗi chữ Hán chiếm 3 byte.',
    '超过设备可保存的文件名长度 {max} 字节。每个汉字占 3 字节，带声调的字母占 2 至 3 字节。',
  ),
  device_path: text(
    'An absolute path such as /sdcard/Download, without .. and without : * ? " < > | \\.',
    'Phải là đường dẫn tuyệt đối như /sdcard/Download, không có .. và các ký tự : * ? " < > | \\.',
    '应为绝对路径，例如 /sdcard/Download，不能包含 .. 以及 : * ? " < > | \\。',
  ),
  digits: text('Digits only.', 'Chỉ gồm chữ số.', '只能包含数字。'),
  name_character: text(
    'A name has no \\ / : * ? " < > | and does not end with a dot.',
    'Tên không được có \\ / : * ? " < > | và không kết thúc bằng dấu chấm.',
    '名称不能包含 \\ / : * ? " < > |，也不能以点结尾。',
  ),

  // Rules of the contract
  zone_unknown: text('Not a known time zone.', 'Không phải múi giờ đã biết.', '未知的时区。'),
  track_range: text(
    'Must be after the beginning, and at most {days} days after it.',
    'Phải sau thời điểm bắt đầu và không quá {days} ngày.',
    '必须晚于开始时间，且不超过 {days} 天。',
  ),
  // Sections of a configuration
  plain_text: text(
    'Letters, digits and signs of a keyboard only: no spaces, no Chinese characters.',
    'Chỉ gồm chữ cái không dấu, chữ số và ký hiệu: không có khoảng trắng, không có chữ Hán.',
    '只能包含英文字母、数字和符号，不能有空格和中文。',
  ),
  base64: text('Not base64.', 'Không phải base64.', '不是 base64 编码。'),
  machine_host: text('Not the name or address of a machine.', 'Không phải tên hoặc địa chỉ máy.', '主机名或地址无效。'),
  host_with_port: text('A proxy needs a port.', 'Proxy cần có cổng.', '代理需要端口。'),
  mcc_mnc: text('5 or 6 digits.', '5 hoặc 6 chữ số.', '5 或 6 位数字。'),
  mac_address: text(
    'Six pairs of hexadecimal digits, for example 00:1A:2B:3C:4D:5E.',
    'Sáu cặp chữ số thập lục phân, ví dụ 00:1A:2B:3C:4D:5E.',
    '六组十六进制数字，例如 00:1A:2B:3C:4D:5E。',
  ),
  server_address: text(
    'Begins with http:// or https:// and names a port, for example https://mdm.example.com:10102.',
    'Bắt đầu bằng http:// hoặc https:// và có cổng, ví dụ https://mdm.example.com:10102.',
    '以 http:// 或 https:// 开头并包含端口，例如 https://mdm.example.com:10102。',
  ),
  clock_time: text('A time such as 22:00.', 'Giờ dạng 22:00.', '时间，例如 22:00。'),
  channel_kept: text('Keep at least one channel.', 'Giữ lại ít nhất một kênh.', '至少保留一个信道。'),
  channel_of_region: text('Not a channel of the region.', 'Không phải kênh của khu vực.', '该地区没有此信道。'),
  entry_in_both: text(
    'An entry is in both lists.',
    'Có mục nằm trong cả hai danh sách.',
    '有条目同时出现在两个列表中。',
  ),
  kiosk_one: text('Name exactly one app.', 'Chỉ định đúng một ứng dụng.', '请指定一个应用。'),
  secret_again: text(
    'Enter it again: what it belongs to has changed, or nothing is stored.',
    'Hãy nhập lại: nơi sử dụng đã thay đổi hoặc chưa có giá trị được lưu.',
    '请重新输入：其所属内容已更改，或没有已保存的值。',
  ),
  certificate: text(
    'This cannot be read as a certificate with that password.',
    'Không đọc được chứng chỉ với mật khẩu này.',
    '无法用该密码读取证书。',
  ),
  url_entry: text('Every entry must be a URL.', 'Mỗi mục phải là một URL.', '每一项都必须是网址。'),
  url_in_both: text('A URL is in both lists.', 'Có URL nằm trong cả hai danh sách.', '有网址同时出现在两个列表中。'),
  config_place: text(
    'Say one level: the account, a group or a device.',
    'Hãy chọn một cấp: tài khoản, nhóm hoặc thiết bị.',
    '请指定一个层级：账号、分组或设备。',
  ),
  nothing_to_save: text('There is nothing to save.', 'Không có gì để lưu.', '没有要保存的内容。'),
  devices_or_work_order: text(
    'Enter a work order or the SNs of the devices.',
    'Nhập lệnh công việc hoặc SN của các thiết bị.',
    '请填写工单或设备 SN。',
  ),
  named_or_match: text(
    'Name devices or say which match, not both.',
    'Hãy chỉ định thiết bị hoặc điều kiện lọc, không dùng cả hai.',
    '请指定设备或筛选条件，不能两者都填。',
  ),
  goes_with: text('Goes with {field} only.', 'Chỉ dùng cùng với {field}.', '只能与 {field} 一起使用。'),
  range_order: text(
    'The upper bound must not be below the lower bound.',
    'Giới hạn trên không được nhỏ hơn giới hạn dưới.',
    '上限不能小于下限。',
  ),
  not_of_field: text(
    'This cannot be asked of the field.',
    'Điều kiện này không dùng được cho trường đã chọn.',
    '该字段不支持此条件。',
  ),
  bytes_too_many: text('At most {max} bytes.', 'Nhiều nhất {max} byte.', '最多 {max} 字节。'),
  wifi_password: text(
    'The password does not fit the security type: WPA needs 8 characters, WEP 5, an open network none.',
    'Mật khẩu không hợp với kiểu bảo mật: WPA cần 8 ký tự, WEP cần 5, mạng mở không có mật khẩu.',
    '密码与加密方式不符：WPA 至少 8 个字符，WEP 至少 5 个，开放网络无密码。',
  ),
  key_reserved: text(
    'Names that begin with {prefix} are reserved.',
    'Tên bắt đầu bằng {prefix} được dành riêng.',
    '以 {prefix} 开头的名称为保留名称。',
  ),
  one_apk: text(
    'Choose one source of the agent: an upload, a kept APK or an address.',
    'Hãy chọn một nguồn cho phần mềm quản lý: tệp tải lên, APK đã lưu hoặc địa chỉ.',
    '请选择一个管理程序来源：上传文件、已存的 APK 或下载地址。',
  ),
  entry_repeated: text('Each entry once.', 'Mỗi mục chỉ một lần.', '每一项只能出现一次。'),
  choices_of_choice: text(
    'A field with choices needs at least one; other fields have none.',
    'Trường lựa chọn cần ít nhất một lựa chọn; các trường khác không có.',
    '选项字段至少需要一个选项，其他字段没有选项。',
  ),
  os_version: text(
    '3 or 4 numbers separated by dots, perhaps an underscore and letters or digits, such as 9.00.123_CD01.',
    '3 hoặc 4 số cách nhau bằng dấu chấm, có thể thêm gạch dưới và chữ cái hoặc chữ số, ví dụ 9.00.123_CD01.',
    '3 或 4 段数字，以点分隔，可后接下划线和字母或数字，例如 9.00.123_CD01。',
  ),
  ver_is_version: text(
    'VER must not be the OS version.',
    'VER không được trùng với phiên bản OS.',
    'VER 不能与 OS 版本相同。',
  ),
  upload_or_url: text(
    'Choose a file or enter an address, not both.',
    'Chọn tệp hoặc nhập địa chỉ, không dùng cả hai.',
    '请选择文件或填写地址，二者选一。',
  ),
  custom_has_base: text(
    'A custom OS needs it; a standard OS has none.',
    'OS tùy chỉnh phải có; OS tiêu chuẩn thì không.',
    '定制 OS 必填，标准 OS 不填。',
  ),
  one_account: text(
    'One account per spreadsheet.',
    'Mỗi bảng tính chỉ cho một tài khoản.',
    '一个表格只能对应一个账号。',
  ),

  ...istageFaults,
  ...agentFaults,

  // What the server finds
  devices_needed: text(
    'Choose at least one device or group.',
    'Hãy chọn ít nhất một thiết bị hoặc nhóm.',
    '请至少选择一台设备或一个分组。',
  ),
  time_of_day: text('A time such as 22:00.', 'Giờ dạng 22:00.', '时间格式如 22:00。'),
  prompt_or_force: text(
    'Ask the user or install without asking, not both.',
    'Chọn hỏi người dùng hoặc cài đặt không hỏi, không chọn cả hai.',
    '“询问用户”和“强制安装”只能选一个。',
  ),
  polygon_repeated: text(
    'A corner stands twice. The last one is joined to the first by itself.',
    'Có đỉnh bị lặp. Đỉnh cuối tự nối với đỉnh đầu.',
    '有重复的顶点。最后一个顶点会自动与第一个相连。',
  ),
  polygon_pole: text(
    'A polygon lies between 85° south and 85° north. Near a pole, use a circle.',
    'Đa giác phải nằm giữa 85° nam và 85° bắc. Gần cực hãy dùng hình tròn.',
    '多边形须位于南纬 85° 与北纬 85° 之间。靠近极点请使用圆形。',
  ),
  polygon_antimeridian: text(
    'A polygon may not cross the 180th meridian. Draw one fence on each side of it.',
    'Đa giác không được cắt kinh tuyến 180°. Hãy vẽ mỗi bên một hàng rào.',
    '多边形不能跨越 180° 经线。请在两侧各画一个围栏。',
  ),
  polygon_crossing: text(
    'The edges of the polygon cross each other.',
    'Các cạnh của đa giác cắt nhau.',
    '多边形的边相互交叉。',
  ),
  polygon_size: text(
    'A polygon reaches from {min} m to {max} km around its middle.',
    'Đa giác phải rộng từ {min} m đến {max} km quanh tâm.',
    '多边形距中心须为 {min} 米至 {max} 千米。',
  ),
  window_unknown: text(
    'Choose a maintenance window of this account.',
    'Hãy chọn một khung bảo trì của tài khoản này.',
    '请选择本账号的维护时段。',
  ),
  window_empty: text(
    'The window begins and ends at the same time.',
    'Khung giờ bắt đầu và kết thúc cùng lúc.',
    '时间窗口的开始和结束时间相同。',
  ),
  deadline_before_start: text(
    'The deadline lies before the start.',
    'Hạn chót trước thời điểm bắt đầu.',
    '截止时间早于开始时间。',
  ),
  time_passed: text('This time has passed.', 'Thời điểm này đã qua.', '该时间已过。'),
  deadline_far: text('At most {days} days from now.', 'Không quá {days} ngày kể từ bây giờ.', '不能超过 {days} 天。'),
  rollout_steps: text(
    'Name the first devices or a step.',
    'Hãy chọn các thiết bị đầu tiên hoặc một bước.',
    '请指定首批设备或至少一个步骤。',
  ),
  rollout_percent_grows: text(
    'Each step reaches more than the one before it.',
    'Mỗi bước phải lớn hơn bước trước.',
    '每一步的比例必须大于上一步。',
  ),
  picked_not_meant: text(
    'A device of the first step is not among those of the push.',
    'Có thiết bị của bước đầu không thuộc lượt đẩy này.',
    '首批设备中有不属于此次推送的设备。',
  ),
  deadline_needed: text(
    'A rollout that takes in later devices needs a deadline.',
    'Triển khai nhận thêm thiết bị về sau cần có hạn chót.',
    '接收后续设备的推送需要设置截止时间。',
  ),
  cron_wrong: text(
    'Not a schedule. It has five fields, such as 0 22 * * 1-5.',
    'Lịch không hợp lệ. Lịch gồm năm trường, ví dụ 0 22 * * 1-5.',
    '计划表达式无效，应包含五个字段，例如 0 22 * * 1-5。',
  ),
  cron_never: text('This schedule never runs.', 'Lịch này không bao giờ chạy.', '该计划永远不会执行。'),
  task_or_device: text('Name a task or a device.', 'Hãy chỉ định tác vụ hoặc thiết bị.', '请指定任务或设备。'),
  not_of_parent: text('Not an entry of this parent.', 'Không thuộc mục cha này.', '不属于该上级。'),
  permission_unknown: text(
    'Neither a permission nor a pattern that covers one.',
    'Không phải quyền hay mẫu nào khớp với quyền.',
    '既不是权限，也不是匹配任何权限的模式。',
  ),
  not_of_pages: text('Not for a list that has pages.', 'Không dùng cho danh sách có phân trang.', '不适用于分页列表。'),
  not_of_list: text('Not a field of this list.', 'Không phải trường của danh sách này.', '不是该列表的字段。'),
  too_deep: text('Nested deeper than {max} levels.', 'Lồng quá {max} cấp.', '嵌套超过 {max} 层。'),
  not_readable: text('The request could not be read.', 'Không đọc được yêu cầu.', '无法读取请求。'),
  body_cut: text('The data ended early.', 'Dữ liệu kết thúc sớm.', '数据提前结束。'),
  not_png: text('Not a PNG picture.', 'Không phải ảnh PNG.', '不是 PNG 图片。'),
  too_many_pixels: text(
    'A picture of more than {max} megapixels.',
    'Ảnh lớn hơn {max} megapixel.',
    '图片超过 {max} 百万像素。',
  ),
  password_is_name: text(
    'The password must not be empty or the login name.',
    'Mật khẩu không được để trống hoặc trùng tên đăng nhập.',
    '密码不能为空，也不能与登录名相同。',
  ),
  page_beyond: text(
    'Pages end at row {rows}. Go on with the cursor of the page before.',
    'Số trang dừng ở dòng {rows}. Hãy tiếp tục bằng con trỏ của trang trước.',
    '页码最多到第 {rows} 行，请使用上一页的游标继续。',
  ),
  not_cursor: text('Not a cursor of this list.', 'Không phải con trỏ của danh sách này.', '不是该列表的游标。'),
} as const satisfies Record<string, Text>
export type FieldFaultName = keyof typeof fieldFaults

/** `pattern` is added to the sentence: clients know a failed pattern by its words (specification, 8). */
export type FieldFault = { name: FieldFaultName; details?: Record<string, string | number>; pattern?: string }
export const pattern_words = 'must match regular expression'

/** The sentence of a fault in the caller's language, numbers as that language writes them. */
export function fieldMessage({ name, details = {}, pattern }: FieldFault, language: Language): string {
  const sentence = fieldFaults[name][language].replace(/\{(\w+)\}/g, (whole, key: string) => {
    const value = details[key]
    return typeof value === 'number' ? new Intl.NumberFormat(language).format(value) : (value ?? whole)
  })
  return pattern === undefined ? sentence : `${sentence} (${pattern_words} ${pattern})`
}
export const fieldMessages = (faults: Record<string, FieldFault>, language: Language): Record<string, string> =>
  Object.fromEntries(Object.entries(faults).map(([field, fault]) => [field, fieldMessage(fault, language)]))
