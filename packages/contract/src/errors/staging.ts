import { entry } from './entry.ts'

/** Codes that set devices up. */
export const stagingErrors = {
  staging_too_large: entry(
    47040,
    422,
    'This configuration is too large for QR codes: it would take more than {max}. Export it as a file instead.',
    'Cấu hình này quá lớn để tạo mã QR: cần nhiều hơn {max} mã. Hãy xuất thành tệp.',
    '该配置过大，所需二维码超过 {max} 个，请改为导出文件。',
  ),
  staging_variables: entry(
    47041,
    422,
    'This configuration has variables ({columns}). Make its codes from a spreadsheet that has these columns.',
    'Cấu hình này có biến ({columns}). Hãy tạo mã từ bảng tính có các cột này.',
    '该配置包含变量（{columns}），请使用含有这些列的表格生成二维码。',
  ),
  staging_no_variables: entry(
    47042,
    422,
    'This configuration has no variables, so every row would have the same code.',
    'Cấu hình này không có biến, nên mọi dòng sẽ có cùng một mã.',
    '该配置没有变量，每行的二维码都会相同。',
  ),
  staging_row_wrong: entry(47043, 422, 'Row {row}: {reason}', 'Dòng {row}: {reason}', '第 {row} 行：{reason}'),
  staging_row_too_large: entry(
    47044,
    422,
    'Row {row} does not fit into one QR code: it takes {bytes} bytes, and {max} are possible.',
    'Dòng {row} không vừa một mã QR: cần {bytes} byte, tối đa {max}.',
    '第 {row} 行超出单个二维码的容量：需要 {bytes} 字节，上限为 {max} 字节。',
  ),
} as const
