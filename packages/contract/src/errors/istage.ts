import { entry } from './entry.ts'

/** Templates and configurations of iStage. */
export const istageErrors = {
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
  template_regex: entry(
    47008,
    422,
    'The regular expression {pattern} is not supported: {reason}',
    'Không hỗ trợ biểu thức chính quy {pattern}: {reason}',
    '不支持正则表达式 {pattern}：{reason}',
  ),
  istage_template_max: entry(
    47009,
    409,
    'There are as many iStage templates as an account can have ({max}).',
    'Tài khoản đã có số mẫu iStage tối đa ({max}).',
    '账号的 iStage 模板数量已达上限（{max}）。',
  ),
  istage_config_max: entry(
    47010,
    409,
    'There are as many iStage configurations as an account can have ({max}).',
    'Tài khoản đã có số cấu hình iStage tối đa ({max}).',
    '账号的 iStage 配置数量已达上限（{max}）。',
  ),
  istage_content_exists: entry(
    47011,
    422,
    'The configuration {name} has the same content.',
    'Cấu hình {name} có cùng nội dung.',
    '配置 {name} 的内容相同。',
  ),
  istage_incomplete: entry(
    47012,
    409,
    'The configuration is incomplete. Complete it first.',
    'Cấu hình chưa hoàn chỉnh. Hãy hoàn chỉnh trước.',
    '配置未完成，请先完成配置。',
  ),
}
