import * as z from 'zod'
import { file, group, ofProvider, read, write } from '../kit.ts'
import { capitalised, codeFormats, informationDetails, informationLists, inSentence } from '../os-information.ts'
import type { InformationDetail, InformationKey, InformationList } from '../os-information.ts'
import {
  ByKid,
  Count,
  Done,
  edited,
  Exists,
  Instant,
  Kid,
  Line,
  Nothing,
  paged,
  paging,
  Search,
  shaped,
  text,
} from '../wire.ts'
import type { Permission } from '../permissions.ts'
import { sheetErrors } from './terminal_batch.ts'

export const information_limits = { import_rows: 1_000, sheet_bytes: 2 * 1024 ** 2, detail: 64 } as const

const Name = Line(64, 1)
const Remark = Line(200)
type DetailShape = { [D in InformationDetail]: z.ZodOptional<z.ZodString> }

/** Types know every detail as one that may be there; the schema of a list has its own, and they are required. */
const detailsOf = ({ details }: InformationList): DetailShape =>
  Object.fromEntries(details.map((name) => [name, Line(information_limits.detail, 1)])) as unknown as DetailShape

export const Information = z.object({
  kid: Kid,
  code: z.string(),
  name: Name,
  total_capacity: z.string().optional(),
  chip_model: z.string().optional(),
  supplier: z.string().optional(),
  bom_code: z.string().optional(),
  remark: z.string(),
  uid_count: Count.describe('UIDs that use it: its code is fixed while there are any, and it cannot be deleted'),
  created_at: Instant,
  updated_at: Instant,
})
export type Information = z.output<typeof Information>

/** A sheet that was read and not yet imported. */
export const InformationPreview = z.object({
  rows: z.array(
    z.object({
      row: z.number().int(),
      faults: z.array(z.object({ field: z.string(), message: z.string() })),
      code: z.string(),
      name: z.string(),
      total_capacity: z.string().optional(),
      chip_model: z.string().optional(),
      supplier: z.string().optional(),
      bom_code: z.string().optional(),
      remark: z.string(),
    }),
  ),
  good: Count,
  bad: Count,
  unknown_columns: z.array(z.string()).describe('titles that mean nothing here; their cells are ignored'),
})
export type InformationPreview = z.output<typeof InformationPreview>
export const InformationImported = z.object({
  imported: Count,
  left_out: z.array(z.string()).describe('codes of rows whose code or name somebody has used'),
})

export const InformationPaging = paging(['code', 'name', 'updated_at']).extend({ text: Search })

/** A row of a list, by the list's name: their details differ. */
export const informationSchemas = new Map<string, z.ZodType>()

/** The calls of one list. */
function informationCalls<K extends InformationKey>(key: K) {
  const list: InformationList = informationLists[key]
  const { one, many, format, name } = list
  const Code = z
    .string()
    .trim()
    .regex(...shaped(format, codeFormats[format].pattern))
  const details = detailsOf(list)
  const Draft = z.object({ code: Code, name: Name, ...details, remark: Remark.default('') })
  const Shown = Information.omit({ total_capacity: true, chip_model: true, supplier: true, bom_code: true }).extend(
    details,
  )
  informationSchemas.set(name, Shown).set(`${name}_draft`, Draft)
  const needs = `informationList${key.charAt(0).toUpperCase()}${key.slice(1)}` as Permission
  const mayAdd = `${key}Add` as Permission
  const taken = ['duplicate_code', 'duplicate_name'] as const
  return group(ofProvider(`ops/${name}`), capitalised(many), {
    paging: read('POST', {
      needs,
      title: inSentence(many, 'List {}', 'Danh sách {}', '{}列表'),
      input: InformationPaging,
      output: paged(Shown),
    }),
    get: read('GET', {
      needs,
      title: inSentence(one, 'Read {a}', 'Đọc {}', '读取{}'),
      input: ByKid,
      output: Shown,
    }),
    exists: read('GET', {
      needs,
      title: inSentence(one, 'Check {a}', 'Kiểm tra {}', '检查{}'),
      input: z.object({ code: Line(64).optional(), name: Line(64).optional(), src_kid: Kid.optional() }),
      output: Exists,
    }),
    insert: write('POST', {
      needs: mayAdd,
      title: inSentence(one, 'Create {a}', 'Tạo {}', '新建{}'),
      input: Draft,
      output: Shown,
      errors: taken,
    }),
    update: write('POST', {
      needs: `${key}Edit` as Permission,
      title: inSentence(one, 'Edit {a}', 'Sửa {}', '编辑{}'),
      input: edited(Draft).extend({ kid: Kid }),
      output: Shown,
      errors: [...taken, 'information_in_use'],
    }),
    delete: write('POST', {
      needs: `${needs}:delete` as Permission,
      title: inSentence(one, 'Delete {a}', 'Xóa {}', '删除{}'),
      input: ByKid,
      output: Done,
      errors: ['information_in_use'],
      works_on_full_disk: true,
    }),
    template: file('read', 'GET', {
      needs: mayAdd,
      title: inSentence(many, 'Download the template of {}', 'Tải mẫu bảng tính {}', '下载{}模板'),
      input: Nothing,
    }),
    preview_import: write('POST', {
      needs: mayAdd,
      title: inSentence(many, 'Check a spreadsheet of {}', 'Kiểm tra bảng tính {}', '检查{}表格'),
      input: z.object({ upload_kid: Kid }),
      output: InformationPreview,
      errors: sheetErrors,
      keeps_uploads: true,
    }),
    import: write('POST', {
      needs: mayAdd,
      title: inSentence(many, 'Import {}', 'Nhập {}', '导入{}'),
      input: z.object({ rows: z.array(Draft).min(1).max(information_limits.import_rows) }),
      output: InformationImported,
    }),
  })
}
export type InformationCalls = ReturnType<typeof informationCalls>['calls']

export const opsSolution = informationCalls('solution')
export const opsHardware = informationCalls('hardware')
export const opsRomMemory = informationCalls('romMemory')
export const opsRamMemory = informationCalls('ramMemory')
export const opsScreen = informationCalls('screen')
export const opsExtended = informationCalls('extended')
export const opsLanguage = informationCalls('language')
export const opsClientCode = informationCalls('clientCode')

/** Title of the column of a sheet, by the field of a row it fills. */
export const informationColumns = {
  code: text('Code', 'Mã', '代码'),
  name: text('Name', 'Tên', '名称'),
  ...informationDetails,
  remark: text('Remark', 'Ghi chú', '备注'),
} as const
export type InformationColumn = keyof typeof informationColumns
export const columnsOf = ({ details }: InformationList): InformationColumn[] => ['code', 'name', ...details, 'remark']
