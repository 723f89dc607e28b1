import { batchColumns, text } from '@mdm/contract'
import type { BatchColumn, Language, Text } from '@mdm/contract'
import { titleKey } from '../../../../lib/sheet-table.ts'

/** What people write above a column, in any language of the product. */
const spellings: Record<BatchColumn, string[]> = {
  sn: ['serial number', 'serial no', 'serial', 'số sê-ri', 'số seri', '序列号', '设备序列号', 'sn号', '设备sn'],
  work_order: ['workorder', 'work order no', 'work order number', 'lệnh sản xuất', 'mã lệnh', '工单号', '工单编号'],
  verification_code: ['registration code', 'code', 'mã xác thực', 'mã đăng ký', '注册码', '校验码'],
  name: ['name', 'device name', 'device alias', 'bí danh', 'tên', 'tên thiết bị', '设备别名', '设备名称', '名称'],
  production_date: [
    'produced',
    'produced on',
    'date of production',
    'manufacturing date',
    'ngày xuất xưởng',
    '出厂日期',
    '制造日期',
  ],
  group_path: ['device group', 'group path', 'nhóm thiết bị', '设备分组', '分组路径'],
}
/** Columns of our own files that mean nothing when they come back. */
export const resultTitles = {
  row: text('Row', 'Dòng', '行号'),
  result: text('Result', 'Kết quả', '结果'),
  code: text('Result code', 'Mã kết quả', '结果代码'),
  message: text('Message', 'Thông báo', '消息'),
} as const satisfies Record<string, Text>
export const modelTitle = text('Model', 'Kiểu máy', '型号')

const all = (name: Text): string[] => Object.values(name)

const meanings = new Map<string, BatchColumn | 'ignored'>([
  ...[...Object.values(resultTitles), modelTitle].flatMap((name) =>
    all(name).map((title) => [titleKey(title), 'ignored'] as const),
  ),
  ...(Object.keys(batchColumns) as BatchColumn[]).flatMap((column) =>
    [...all(batchColumns[column]), ...spellings[column]].map((title) => [titleKey(title), column] as const),
  ),
])

/** What a title stands for; undefined when it is not known. */
export const columnOfTitle = (title: string): BatchColumn | 'ignored' | undefined => meanings.get(titleKey(title))

export const templateTitles = (columns: readonly BatchColumn[], language: Language): string[] =>
  columns.map((column) => batchColumns[column][language])
