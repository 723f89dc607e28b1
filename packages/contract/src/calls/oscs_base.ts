import * as z from 'zod'
import { constants } from '../constants.ts'
import { group, ofProvider, read, write } from '../kit.ts'
import { ByKid, Bytes, Count, Done, edited, Instant, Kid, Line, paged, paging, Search, shaped, text } from '../wire.ts'

/** What a custom OS is built on: the platform package of a model, the OS package and the configuration of a base version. */
export const oscsFileKinds = ['sum', 'os', 'config'] as const
export type OscsFileKind = (typeof oscsFileKinds)[number]
export const oscsFileStates = ['checking', 'ready', 'failed'] as const
export type OscsFileState = (typeof oscsFileStates)[number]
/** Choices of a select. */
export const oscs_choices_max = 200

export const OscsFile = z.object({
  kid: Kid,
  kind: z.enum(oscsFileKinds),
  file_name: z.string(),
  size: Bytes,
  md5: z.string(),
  sha256: z.string(),
  state: z.enum(oscsFileStates),
  fault: z.string().nullable().describe('why it failed, in the language of the caller'),
  created_by: z.string(),
  created_at: Instant,
})
export type OscsFile = z.output<typeof OscsFile>

const Changed = { created_by: z.string(), created_at: Instant, updated_at: Instant }
export const OscsModel = z.object({
  kid: Kid,
  code: z.string(),
  name: z.string(),
  uid_kid: Kid,
  uid_code: z.string().describe('of the standard OS that devices of the model run'),
  uid_name: z.string(),
  sum: OscsFile.describe('the platform package'),
  base_count: Count,
  remark: z.string(),
  ...Changed,
})
export type OscsModel = z.output<typeof OscsModel>

export const OscsBase = z.object({
  kid: Kid,
  model_kid: Kid,
  model_code: z.string(),
  uid_code: z.string(),
  base_os_version: z.string(),
  version_code: Count,
  os: OscsFile.describe('the OS package'),
  config: OscsFile.describe('the configuration'),
  custom_count: Count.describe('custom OS of all customers that are built on it'),
  remark: z.string(),
  ...Changed,
})
export type OscsBase = z.output<typeof OscsBase>

const ModelFields = z.object({
  code: z
    .string()
    .trim()
    .min(1)
    .max(36)
    .regex(...shaped('name_plain', /^[A-Za-z0-9_-]+$/)),
  name: Line(64).default(''),
  uid_kid: Kid.describe('of a standard OS'),
  remark: Line(200).default(''),
})
const { min, max } = constants.base_os_version
/** "Format project_version" (specification, 5): what stands behind the last underscore is the version. */
export const baseOsVersionPattern = /^[A-Za-z0-9_.]*[A-Za-z0-9]_\d+(?:\.\d+){2,3}$/
/** 9.00.123 of m102_9.00.123. */
export const versionOfBase = (base_os_version: string): string => base_os_version.split('_').at(-1)!

const BaseFields = z.object({
  model_kid: Kid,
  base_os_version: z
    .string()
    .trim()
    .min(min)
    .max(max)
    .regex(...shaped('base_os_version_name', baseOsVersionPattern)),
  version_code: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
  remark: Line(200).default(''),
})
const uploadErrors = ['oscs_not_zip', 'upload_not_finished', 'file_transfer_failed'] as const
const modelErrors = ['duplicate_model', 'uid_base_wrong', ...uploadErrors] as const
const baseErrors = ['base_os_exists', 'oscs_model_unknown', 'os_file_name_wrong', ...uploadErrors] as const

/** Models of devices for which a custom OS can be built; the provider's. */
export const opsOscsModel = group(ofProvider('ops/oscs_model'), text('OS models', 'Mã kiểu máy OS', 'OS 型号'), {
  paging: read('POST', {
    needs: ['oscsModelManageList', 'oscsBaseManageAdd', 'oscsBaseManageEdit'],
    title: text('List model codes', 'Danh sách mã kiểu máy', '型号代码列表'),
    input: paging(['code', 'updated_at']).extend({ text: Search.describe('part of the code, the name or the UID') }),
    output: paged(OscsModel),
  }),
  get: read('GET', {
    needs: ['oscsModelManageList', 'oscsModelManageEdit'],
    title: text('Read a model code', 'Đọc mã kiểu máy', '读取型号代码'),
    input: ByKid,
    output: OscsModel,
  }),
  list_uid: read('GET', {
    needs: ['oscsModelManageAdd', 'oscsModelManageEdit'],
    title: text('List UIDs for a model code', 'Danh sách UID cho mã kiểu máy', '型号代码可选 UID 列表'),
    input: z.object({ text: Search, kid: Kid.optional().describe('this one in any case') }),
    output: z
      .array(z.object({ kid: Kid, code: z.string(), display_name: z.string() }))
      .describe(`of standard OS, by code, at most ${oscs_choices_max}`),
  }),
  insert: write('POST', {
    needs: 'oscsModelManageAdd',
    title: text('Add a model code', 'Thêm mã kiểu máy', '添加型号代码'),
    input: ModelFields.extend({ sum_upload_kid: Kid.describe('the platform package, a ZIP of the folder DOWNLOAD') }),
    output: ByKid,
    errors: modelErrors,
    keeps_uploads: true,
  }),
  update: write('POST', {
    needs: 'oscsModelManageEdit',
    title: text('Edit a model code', 'Sửa mã kiểu máy', '修改型号代码'),
    input: edited(ModelFields).partial().extend({ kid: Kid, sum_upload_kid: Kid.optional() }),
    output: Done,
    errors: [...modelErrors, 'oscs_model_in_use', 'os_build_of_base'],
    keeps_uploads: true,
  }),
  delete: write('POST', {
    needs: 'oscsModelManageList:delete',
    title: text('Delete a model code', 'Xóa mã kiểu máy', '删除型号代码'),
    input: ByKid,
    output: Done,
    errors: ['oscs_model_in_use'],
    works_on_full_disk: true,
  }),
  download_file: write('POST', {
    needs: ['oscsModelManageList', 'oscsModelManageEdit'],
    title: text('Download a platform package', 'Tải gói nền tảng', '下载平台包'),
    input: ByKid.describe('of the file'),
    output: z.object({ url: z.string().describe('signed, one hour') }),
  }),
  retry_file: write('POST', {
    needs: 'oscsModelManageEdit',
    title: text('Check a platform package again', 'Kiểm tra lại gói nền tảng', '重新校验平台包'),
    input: ByKid.describe('of the file'),
    output: Done,
    errors: ['os_package_not_failed'],
  }),
})

/** Base versions of these models; the provider's. */
export const opsOscsBase = group(
  ofProvider('ops/oscs_base'),
  text('Base OS versions', 'Phiên bản OS gốc', '基础 OS 版本'),
  {
    paging: read('POST', {
      needs: 'oscsBaseManageList',
      title: text('List base OS versions', 'Danh sách phiên bản OS gốc', '基础 OS 版本列表'),
      input: paging(['base_os_version', 'updated_at']).extend({
        text: Search.describe('part of the version or of the model code'),
        model_kid: Kid.optional(),
      }),
      output: paged(OscsBase),
    }),
    get: read('GET', {
      needs: ['oscsBaseManageList', 'oscsBaseManageEdit'],
      title: text('Read a base OS version', 'Đọc phiên bản OS gốc', '读取基础 OS 版本'),
      input: ByKid,
      output: OscsBase,
    }),
    insert: write('POST', {
      needs: 'oscsBaseManageAdd',
      title: text('Add a base OS version', 'Thêm phiên bản OS gốc', '添加基础 OS 版本'),
      input: BaseFields.extend({
        os_upload_kid: Kid.describe('a ZIP of the folder DOWNLOAD, whose name has the UID in it'),
        config_upload_kid: Kid.describe('a ZIP of the folder DOWNLOAD'),
      }),
      output: ByKid,
      errors: baseErrors,
      keeps_uploads: true,
    }),
    update: write('POST', {
      needs: 'oscsBaseManageEdit',
      title: text('Edit a base OS version', 'Sửa phiên bản OS gốc', '修改基础 OS 版本'),
      input: edited(BaseFields)
        .partial()
        .extend({ kid: Kid, os_upload_kid: Kid.optional(), config_upload_kid: Kid.optional() }),
      output: Done,
      errors: [...baseErrors, 'oscs_base_in_use'],
      keeps_uploads: true,
    }),
    delete: write('POST', {
      needs: 'oscsBaseManageList:delete',
      title: text('Delete a base OS version', 'Xóa phiên bản OS gốc', '删除基础 OS 版本'),
      input: ByKid,
      output: Done,
      errors: ['oscs_base_in_use'],
      works_on_full_disk: true,
    }),
    download_file: write('POST', {
      needs: ['oscsBaseManageList', 'oscsBaseManageEdit'],
      title: text('Download a file of a base OS version', 'Tải tệp của phiên bản OS gốc', '下载基础 OS 版本的文件'),
      input: ByKid.describe('of the file'),
      output: z.object({ url: z.string().describe('signed, one hour') }),
    }),
    retry_file: write('POST', {
      needs: 'oscsBaseManageEdit',
      title: text(
        'Check a file of a base OS version again',
        'Kiểm tra lại tệp của phiên bản OS gốc',
        '重新校验基础 OS 版本的文件',
      ),
      input: ByKid.describe('of the file'),
      output: Done,
      errors: ['os_package_not_failed'],
    }),
  },
)
