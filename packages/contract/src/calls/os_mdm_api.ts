import { apiRefusals } from '@mdm/device-link/api-method.ts'
import * as z from 'zod'
import { api_limits, isApiMethod } from '../api-methods.ts'
import { group, ofProvider, read, write } from '../kit.ts'
import { ByKid, Count, Done, edited, Instant, Kid, Line, paged, paging, Search, shaped, text, wrong } from '../wire.ts'
import { AppPackage, packageErrors } from './app_package.ts'

const Certificate = z
  .string()
  .overwrite((typed) => typed.replace(/[\s:]/g, '').toLowerCase())
  .regex(...shaped('cert_sha1', /^[0-9a-f]{40}$/))
  .describe('SHA-1 of the certificate that the app is signed by, in hexadecimal digits')

/** Which methods of devices with some UIDs one app may call, told by its package and certificate. */
export const ApiAuthorisationRow = z.object({
  kid: Kid,
  package: z.string(),
  cert_sha1: z.string(),
  uids: z.array(z.object({ kid: Kid, code: z.string(), display_name: z.string() })),
  method_count: Count,
  remark: z.string(),
  updated_by: z.string(),
  created_at: Instant,
  updated_at: Instant,
})
export type ApiAuthorisationRow = z.output<typeof ApiAuthorisationRow>
export const ApiAuthorisationDetail = ApiAuthorisationRow.extend({ methods: z.array(z.string()) })
export type ApiAuthorisationDetail = z.output<typeof ApiAuthorisationDetail>

const Draft = z.object({
  package: AppPackage,
  cert_sha1: Certificate,
  uid_kids: z.array(Kid).min(1).max(api_limits.uids),
  methods: z
    .array(z.string().trim().refine(isApiMethod, wrong('api_method')))
    .min(1)
    .max(api_limits.methods)
    .describe('class and method, joined by dots: com.acme.Printer.print'),
  remark: Line(200).default(''),
})

/** A call of an app on a device that was refused there, as the device told it. */
export const ApiRefusedRow = z.object({
  kid: Kid,
  terminal_kid: Kid,
  sn: z.string(),
  account_name: z.string(),
  package: z.string(),
  cert_sha1: z.string(),
  method: z.string(),
  reason: z.enum(apiRefusals),
  count: Count.describe('calls that this line stands for'),
  at: Instant,
})
export type ApiRefusedRow = z.output<typeof ApiRefusedRow>

export const apiRefusalReasons = apiRefusals

const list = 'osMdmApiList'
const writers = ['osMdmApiAdd', 'osMdmApiEdit'] as const
const draftErrors = ['api_app_taken', 'api_list_too_large', 'os_key_offline', 'os_uid_unknown'] as const
/** All methods of a draft with their quotes, and the rest of it. */
const body_bytes = 5 * 1024 ** 2

export const opsOsMdmApi = group(ofProvider('ops/os_mdm_api'), text('API authorization', 'Cấp quyền API', 'API 授权'), {
  paging: read('POST', {
    needs: list,
    title: text('List API authorizations', 'Danh sách cấp quyền API', 'API 授权列表'),
    input: paging(['updated_at', 'package']).extend({
      text: Search.describe('part of the package, the certificate or the remark'),
      uid_kid: Kid.optional(),
    }),
    output: paged(ApiAuthorisationRow),
  }),
  get: read('GET', {
    needs: [list, ...writers],
    title: text('Read an API authorization', 'Đọc cấp quyền API', '读取 API 授权'),
    input: ByKid,
    output: ApiAuthorisationDetail,
  }),
  list_uid: read('GET', {
    needs: [list, ...writers],
    title: text('List UIDs for API authorization', 'Danh sách UID để cấp quyền API', '可授权的 UID 列表'),
    input: z.object({ text: Search }),
    output: z.array(z.object({ kid: Kid, code: z.string(), display_name: z.string() })).describe('at most 50'),
  }),
  inspect_package: write('POST', {
    needs: writers,
    title: text('Read the certificate of an app', 'Đọc chứng chỉ của ứng dụng', '读取应用证书'),
    input: z.object({ upload_kid: Kid }),
    output: z.object({
      package: z.string().nullable(),
      label: z.string().nullable(),
      version_name: z.string().nullable(),
      signers: z.array(z.string()).describe('SHA-1 of the certificate of each signer'),
    }),
    errors: [...packageErrors, 'upload_not_finished', 'file_transfer_failed'],
    keeps_uploads: true,
  }),
  insert: write('POST', {
    needs: 'osMdmApiAdd',
    title: text('Add an API authorization', 'Thêm cấp quyền API', '添加 API 授权'),
    body_bytes,
    input: Draft,
    output: ApiAuthorisationRow,
    errors: draftErrors,
  }),
  update: write('POST', {
    needs: 'osMdmApiEdit',
    title: text('Edit an API authorization', 'Sửa cấp quyền API', '编辑 API 授权'),
    body_bytes,
    input: edited(Draft).extend({ kid: Kid }),
    output: ApiAuthorisationRow,
    errors: draftErrors,
  }),
  delete: write('POST', {
    needs: 'osMdmApiList:delete',
    title: text('Delete an API authorization', 'Xóa cấp quyền API', '删除 API 授权'),
    input: ByKid,
    output: Done,
    errors: ['os_key_offline'],
  }),
  paging_refused: read('POST', {
    needs: list,
    title: text('List refused API calls', 'Danh sách lệnh gọi API bị từ chối', '被拒绝的 API 调用列表'),
    input: paging(['at']).extend({
      text: Search.describe('SN of the device, from its beginning'),
      package: Search.describe('the package of the app'),
      reason: z.enum(apiRefusals).optional(),
      from: z.iso.datetime().optional(),
      to: z.iso.datetime().optional(),
    }),
    output: paged(ApiRefusedRow),
  }),
})
