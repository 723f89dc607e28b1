import { text } from '../wire.ts'

/** What can be wrong with a template file, and with a content by its template. */
export const istageFaults = {
  istage_version: text(
    'Three numbers such as 3.0.3, or four with an underscore and letters or digits such as 3.0.3.1_ab.',
    'Ba số như 3.0.3, hoặc bốn số kèm gạch dưới và chữ cái hoặc chữ số như 3.0.3.1_ab.',
    '三段数字，例如 3.0.3；或四段数字加下划线和字母或数字，例如 3.0.3.1_ab。',
  ),
  template_format: text(
    'A template begins with "templatejson": {format}.',
    'Mẫu bắt đầu bằng "templatejson": {format}.',
    '模板以 "templatejson": {format} 开头。',
  ),
  istage_unknown: text(
    'Choose a completed configuration.',
    'Hãy chọn một cấu hình đã hoàn chỉnh.',
    '请选择已完成的配置。',
  ),
  template_key: text(
    'A key begins with a letter and has at most 40 letters, digits and underscores.',
    'Khóa bắt đầu bằng chữ cái, gồm nhiều nhất 40 chữ cái, chữ số và gạch dưới.',
    '键以字母开头，最多 40 个字母、数字和下划线。',
  ),
  template_fixed: text(
    'A fixed field needs a default.',
    'Trường cố định cần có giá trị mặc định.',
    '固定字段需要默认值。',
  ),
  template_empty: text(
    'A module needs fields or custom parameters.',
    'Mô-đun cần có trường hoặc tham số tùy chỉnh.',
    '模块需要字段或自定义参数。',
  ),
  template_known_by: text('Not a field of the module.', 'Không phải trường của mô-đun.', '不是该模块的字段。'),
  template_regex: text(
    'This regular expression is not supported: {reason}. Look-around and back-references cannot be used.',
    'Không hỗ trợ biểu thức chính quy này: {reason}. Không dùng được kiểm tra trước sau và tham chiếu ngược.',
    '不支持此正则表达式：{reason}。不能使用环视和反向引用。',
  ),
  template_default: text(
    'The default breaks a rule of its own field.',
    'Giá trị mặc định không tuân theo quy tắc của trường.',
    '默认值不符合该字段自身的规则。',
  ),
  file_encoding: text(
    'The file must be UTF-8 without a byte order mark.',
    'Tệp phải ở dạng UTF-8 không có dấu thứ tự byte.',
    '文件必须为不带字节顺序标记的 UTF-8 编码。',
  ),
  file_json: text(
    'Not valid JSON, at character {at}.',
    'Không phải JSON hợp lệ, tại ký tự {at}.',
    '不是有效的 JSON，位于第 {at} 个字符。',
  ),
  key_repeated: text('The key {key} stands here twice.', 'Khóa {key} xuất hiện hai lần.', '键 {key} 重复。'),
  patterns_too_much: text(
    'There is too much text to hold against the regular expressions of the template.',
    'Có quá nhiều văn bản để đối chiếu với biểu thức chính quy của mẫu.',
    '需要用模板正则表达式校验的文本过多。',
  ),
  template_pattern: text(
    'Not in the format that the template asks for.',
    'Không đúng định dạng mà mẫu yêu cầu.',
    '不符合模板要求的格式。',
  ),
  items_exceeded: text('At most {max} items.', 'Nhiều nhất {max} mục.', '最多 {max} 项。'),
  custom_item_needed: text(
    'Select at least one custom item.',
    'Hãy chọn ít nhất một mục tùy chỉnh.',
    '请至少选择一个自定义项。',
  ),
  parameter_needed: text('Set at least one parameter.', 'Hãy đặt ít nhất một tham số.', '请至少设置一个参数。'),
  parameter_name: text('Not a name for a parameter.', 'Không thể dùng làm tên tham số.', '不能用作参数名称。'),
  parameter_repeated: text(
    'Parameter names must be unique.',
    'Tên tham số không được trùng nhau.',
    '参数名称不能重复。',
  ),
  column_name: text('Enter the column name.', 'Hãy nhập tên cột.', '请输入列名。'),
  default_fixed: text(
    'The default content cannot be changed.',
    'Không thể sửa nội dung mặc định.',
    '默认内容不可修改。',
  ),
  not_file: text('Not a file.', 'Không phải tệp.', '不是文件。'),
  file_extension: text('Only files of {values}.', 'Chỉ nhận tệp {values}.', '仅支持 {values} 文件。'),
}
