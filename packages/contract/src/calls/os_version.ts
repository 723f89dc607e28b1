import { os_version_max, osFormats, osVersionPattern } from '@mdm/device-link/os-version.ts'
import * as z from 'zod'
import { group, ofProvider, read, write } from '../kit.ts'
import { osReleaseStates } from '../states/os_release.ts'
import {
  ByKid,
  Bytes,
  Count,
  Done,
  edited,
  Instant,
  Kid,
  Line,
  Nothing,
  paged,
  paging,
  Search,
  shaped,
  text,
  wrong,
} from '../wire.ts'
import { uidTypes } from './os_uid.ts'

export const osLimits = {
  /** The full one and differences. */
  packages: 50,
  accounts: 500,
  groups: 200,
  text: 4000,
  url: 1000,
  /** Choices of a select. */
  choices: 50,
} as const

const Paragraph = z.string().trim().max(osLimits.text)
const Number_ = z.number().int().max(Number.MAX_SAFE_INTEGER)
/** 9.00.123, 9.00.123.4, 9.00.123_CD01; the other format has a single letter behind the underscore. */
export const OsVersionNumber = z
  .string()
  .trim()
  .min(1)
  .max(os_version_max)
  .regex(...shaped('os_version', osVersionPattern))

export const OsBuild = z.object({
  os_version: z.string(),
  version_code: Count,
  ver: Count.describe('grows with each build of the UID'),
})
export type OsBuild = z.output<typeof OsBuild>

export const osPackageStates = ['fetching', 'checking', 'making', 'ready', 'failed'] as const
export type OsPackageState = (typeof osPackageStates)[number]
export const osPackageKinds = ['full', 'difference'] as const

export const OsPackage = z.object({
  kid: Kid,
  kind: z.enum(osPackageKinds),
  from: OsBuild.nullable().describe('of a difference: the version that it leads from'),
  format: z.enum(osFormats).describe('by the ending of its name; the updater on the device that it is for'),
  said_version: z.string().nullable().describe('the version that it says of itself; of formats but zip'),
  hardware: z.array(z.string()).describe('that it says it is for; of formats but zip'),
  file_name: z.string(),
  url: z.string().nullable().describe('where the server fetches it; null for an upload'),
  size: Bytes.nullable().describe('null until the server knows'),
  received: Bytes,
  is_made: z.boolean().describe('the server makes this difference from full packages'),
  progress: Count.describe('percent of what is being made'),
  is_offered: z.boolean().describe('it is part of what was signed last'),
  md5: z.string().nullable(),
  sha256: z.string().nullable(),
  state: z.enum(osPackageStates),
  fault: z.string().nullable().describe('why it failed, in the language of the caller'),
  created_by: z.string(),
  created_at: Instant,
})
export type OsPackage = z.output<typeof OsPackage>

/** For whom a version is: all customers, or named ones, perhaps some of their device groups only. */
const AudienceAccount = z.object({
  account_kid: Kid,
  terminal_group_kids: z
    .array(Kid)
    .min(1)
    .max(osLimits.groups)
    .nullable()
    .describe('only their devices and those below; null: the whole account'),
})
const releaseModes = ['launched', 'pre_released'] as const
const Audience = z.object({
  mode: z.enum(releaseModes),
  is_for_all: z.boolean().describe('every customer; only a standard OS that is launched'),
  accounts: z.array(AudienceAccount).max(osLimits.accounts),
})
export type OsAudience = z.output<typeof Audience>
const Recipients = Audience.extend({
  cancels_tasks: z
    .boolean()
    .default(true)
    .describe('of a version that is out: whether pushes of customers who may not have it any more are canceled'),
})

export const osSteps = ['create', 'upload', 'release', 'complete'] as const
export type OsStep = (typeof osSteps)[number]

export const OsVersionRow = z.object({
  kid: Kid,
  uid_kid: Kid,
  uid_code: z.string(),
  uid_name: z.string(),
  type: z.enum(uidTypes),
  ...OsBuild.shape,
  state: z.enum(osReleaseStates),
  step: z.enum(osSteps).describe('of a draft: where it goes on'),
  package_count: Count,
  created_by: z.string().describe('the publisher'),
  is_own: z.boolean().describe('the caller may change it: the publisher, or anybody once the publisher is gone'),
  released_at: Instant.nullable(),
  created_at: Instant,
  updated_at: Instant,
})
export type OsVersionRow = z.output<typeof OsVersionRow>

export const OsVersionDetail = OsVersionRow.extend({
  description: z.string(),
  remaining_problems: z.string(),
  packages: z.array(OsPackage),
  audience: Audience.nullable().describe('null until it is chosen'),
  account_names: z.array(z.object({ account_kid: Kid, name: z.string() })),
  key: z.string().nullable().describe('public key by which it is signed'),
  is_cancelling: z.boolean().describe('it went offline, and pushes of it are being canceled'),
})
export type OsVersionDetail = z.output<typeof OsVersionDetail>

const Fields = z.object({
  uid_kid: Kid,
  os_version: OsVersionNumber,
  version_code: Number_.min(0),
  ver: Number_.min(1),
  description: Paragraph.default(''),
  remaining_problems: Paragraph.default(''),
})
const notItself = [
  ({ os_version, ver }: { os_version?: string | undefined; ver?: number | undefined }) =>
    os_version === undefined || ver === undefined || os_version !== String(ver),
  wrong('ver_is_version', undefined, 'ver'),
] as const
const versionErrors = ['os_uid_unknown', 'os_version_taken', 'os_code_ver_taken'] as const
const own = ['os_not_own'] as const

const NewPackage = z
  .object({
    os_version_kid: Kid,
    from_kid: Kid.nullable().default(null).describe('the version that a difference leads from; null: the full package'),
    upload_kid: Kid.optional(),
    url: z
      .url({ protocol: /^https?$/ })
      .max(osLimits.url)
      .optional(),
    file_name: Line(255, 1).optional().describe('of what a URL leads to, where its last part is no name'),
  })
  .refine(
    ({ upload_kid, url }) => (upload_kid === undefined) !== (url === undefined),
    wrong('upload_or_url', undefined, 'upload_kid'),
  )

const upload = ['osIssueUploadOs', 'osIssueUploadOsEdit'] as const
const release = ['osIssueReleaseOs', 'osIssueReleaseOsEdit'] as const
const complete = ['osIssueCompleteOs', 'osIssueCompleteOsEdit'] as const
const Signature = z
  .string()
  .trim()
  .min(80)
  .max(100)
  .describe('Ed25519, base64; of a key whose private half the server does not hold')
const Signing = z.object({ kid: Kid, signature: Signature.optional() })
const signing = ['os_signature_needed', 'os_signature_wrong'] as const
/** Ed25519 as SubjectPublicKeyInfo: in DER, base64, or as PEM. */
const PublicKey = z.string().trim().min(40).max(400)
const readers = ['osIssue', 'osIssueOsDetail'] as const
export const OsPushing = z.object({
  customers: Count.describe('who push it, or have a push of it that is not over'),
  tasks: Count,
  devices: Count.describe('that are still moving'),
})

export const osEvents = [
  'created',
  'changed',
  'package_added',
  'package_removed',
  'package_failed',
  'packages_offered',
  'audience_set',
  'step_discarded',
  'pre_released',
  'launched',
  'taken_offline',
  'pushes_canceling',
  'pushes_canceled',
] as const
export type OsEvent = (typeof osEvents)[number]

/** OS versions, from their creation to their release; the provider's. */
export const opsOsVersion = group(ofProvider('ops/os_version'), text('OS versions', 'Phiên bản OS', 'OS 版本'), {
  paging: read('POST', {
    needs: 'osIssue',
    title: text('List OS versions', 'Danh sách phiên bản OS', 'OS 版本列表'),
    input: paging(['updated_at', 'created_at', 'released_at', 'ver']).extend({
      text: Search.describe('part of the version, the UID or its name'),
      state: z.enum(osReleaseStates).optional(),
      uid_kid: Kid.optional(),
      type: z.enum(uidTypes).optional(),
      is_own: z.boolean().optional(),
    }),
    output: paged(OsVersionRow),
  }),
  get: read('GET', {
    needs: readers,
    title: text('Read an OS version', 'Đọc phiên bản OS', '读取 OS 版本'),
    input: ByKid,
    output: OsVersionDetail,
  }),
  list_from: read('GET', {
    needs: upload,
    title: text(
      'List what a difference can lead from',
      'Danh sách phiên bản gốc của gói chênh lệch',
      '差分包起始版本列表',
    ),
    input: ByKid,
    output: z
      .array(
        OsBuild.extend({
          kid: Kid,
          uid_code: z.string(),
          full_size: Bytes.nullable().describe('of its full package; null where it has none that is ready'),
        }),
      )
      .describe('older versions of the UID and of its base, newest first'),
  }),
  insert: write('POST', {
    needs: 'osIssueIssueCreateOs',
    title: text('Create an OS version', 'Tạo phiên bản OS', '新建 OS 版本'),
    input: Fields.refine(...notItself),
    output: ByKid,
    errors: versionErrors,
  }),
  update: write('POST', {
    needs: ['osIssueIssueCreateOsEdit', 'osIssueIssueCreateOs'],
    title: text('Edit an OS version', 'Sửa phiên bản OS', '修改 OS 版本'),
    input: edited(Fields)
      .partial()
      .extend({ kid: Kid })
      .refine(...notItself),
    output: Done,
    errors: [...versionErrors, ...own, 'os_version_fixed'],
  }),
  delete: write('POST', {
    needs: 'osIssue:delete',
    title: text('Delete an OS version', 'Xóa phiên bản OS', '删除 OS 版本'),
    input: ByKid,
    output: Done,
    errors: [...own, 'os_state_wrong', 'os_being_pushed'],
    works_on_full_disk: true,
  }),
  insert_package: write('POST', {
    needs: upload,
    title: text('Add an OS package', 'Thêm gói OS', '添加 OS 包'),
    input: NewPackage,
    output: ByKid,
    errors: [
      ...own,
      'os_state_wrong',
      'os_package_taken',
      'os_packages_limit',
      'os_from_same',
      'os_from_newer',
      'os_from_unknown',
      'os_file_name_wrong',
      'os_address_refused',
      'upload_not_finished',
      'file_transfer_failed',
    ],
    keeps_uploads: true,
  }),
  make_differences: write('POST', {
    needs: upload,
    title: text('Make difference packages', 'Tạo gói chênh lệch', '生成差分包'),
    input: z.object({
      os_version_kid: Kid,
      from_kids: z.array(Kid).min(1).max(osLimits.packages).describe('older versions with a full package'),
    }),
    output: z.object({ kids: z.array(Kid).describe('of the packages, in the order of the versions') }),
    errors: [
      ...own,
      'os_package_taken',
      'os_packages_limit',
      'os_from_same',
      'os_from_newer',
      'os_from_unknown',
      'os_full_missing',
    ],
  }),
  retry_package: write('POST', {
    needs: upload,
    title: text(
      'Fetch, check or make an OS package again',
      'Tải, kiểm tra hoặc tạo lại gói OS',
      '重新获取、校验或生成 OS 包',
    ),
    input: ByKid,
    output: Done,
    errors: [...own, 'os_package_not_failed'],
  }),
  delete_package: write('POST', {
    needs: upload,
    title: text('Remove an OS package', 'Gỡ gói OS', '移除 OS 包'),
    input: ByKid,
    output: Done,
    errors: [...own, 'os_state_wrong'],
    works_on_full_disk: true,
  }),
  download_package: write('POST', {
    needs: [...readers, ...upload],
    title: text('Download an OS package', 'Tải gói OS', '下载 OS 包'),
    input: ByKid.describe('of the package, which is ready'),
    output: z.object({ url: z.string().describe('signed, one hour') }),
  }),
  save_audience: write('POST', {
    needs: release,
    title: text(
      'Choose who may have an OS version',
      'Chọn khách hàng được dùng phiên bản OS',
      '设置 OS 版本的开放范围',
    ),
    input: Recipients.extend({ kid: Kid }).describe('of a version that is out they can only become fewer'),
    output: Done,
    errors: [...own, 'os_audience_wrong', 'os_account_unknown', 'os_state_wrong', 'os_release_needed'],
  }),
  discard_step: write('POST', {
    needs: [...upload, ...release],
    title: text('Discard a step of an OS version', 'Bỏ nội dung một bước của phiên bản OS', '放弃 OS 版本的某一步内容'),
    input: z.object({ kid: Kid, step: z.enum(['upload', 'release']) }),
    output: Done,
    errors: [...own, 'os_state_wrong'],
    works_on_full_disk: true,
  }),
  to_sign: read('GET', {
    needs: complete,
    title: text(
      'Read what is signed of an OS version',
      'Đọc nội dung cần ký của phiên bản OS',
      '读取 OS 版本的待签名内容',
    ),
    input: ByKid,
    output: z.object({
      manifest: z.string().describe('the signature is over the UTF-8 bytes of this very text'),
      public_key: z.string().describe('of the active key'),
      is_offline: z.boolean().describe('only the holder of the key can sign it'),
    }),
    errors: ['os_without_package', 'os_package_not_ready'],
  }),
  release: write('POST', {
    needs: complete,
    title: text('Release an OS version', 'Phát hành phiên bản OS', '发布 OS 版本'),
    input: Signing.extend({
      audience: Recipients.optional().describe(
        'it is for those: also one that is out, which is launched by it or for more',
      ),
    }),
    output: Done,
    errors: [
      ...own,
      ...signing,
      'os_state_wrong',
      'os_without_package',
      'os_package_not_ready',
      'os_audience_missing',
      'os_audience_wrong',
      'os_account_unknown',
    ],
  }),
  offer_packages: write('POST', {
    needs: complete,
    title: text(
      'Offer packages that were added to a released OS version',
      'Cung cấp các gói đã thêm vào phiên bản OS đã phát hành',
      '提供已发布 OS 版本中新增的安装包',
    ),
    input: Signing,
    output: Done,
    errors: [...own, ...signing, 'os_state_wrong', 'os_nothing_added'],
  }),
  pushing: read('GET', {
    needs: 'osIssue:offline',
    title: text('Count who pushes an OS version', 'Đếm khách hàng đang đẩy phiên bản OS', '统计正在推送 OS 版本的客户'),
    input: ByKid,
    output: OsPushing,
  }),
  take_offline: write('POST', {
    needs: 'osIssue:offline',
    title: text('Take an OS version offline', 'Ngừng phát hành phiên bản OS', '下线 OS 版本'),
    input: z.object({ kid: Kid, cancels_tasks: z.boolean().describe('whether pushes of it are canceled') }),
    output: Done,
    errors: [...own, 'os_state_wrong'],
    works_on_full_disk: true,
  }),
  list_history: read('GET', {
    needs: readers,
    title: text('Read the history of an OS version', 'Đọc lịch sử phiên bản OS', '读取 OS 版本历史'),
    input: ByKid,
    output: z
      .array(z.object({ event: z.enum(osEvents), at: Instant, by: z.string(), detail: z.string() }))
      .describe('newest first, at most 500'),
  }),
  running: read('GET', {
    needs: readers,
    title: text('Count who runs an OS version', 'Đếm khách hàng đang chạy phiên bản OS', '统计运行 OS 版本的客户'),
    input: ByKid,
    output: z.object({
      devices: Count.describe('that run it now, of all accounts'),
      behind: Count.describe('of its UID, with an older version'),
      accounts: z
        .array(z.object({ account_kid: Kid, name: z.string(), devices: Count, behind: Count }))
        .describe('most devices first, at most 200'),
    }),
  }),
  list_account: read('GET', {
    needs: release,
    title: text('List customers for an OS version', 'Danh sách khách hàng cho phiên bản OS', 'OS 版本可选客户列表'),
    input: z.object({ text: Search }),
    output: z.array(z.object({ kid: Kid, name: z.string() })).describe(`by name, at most ${osLimits.choices}`),
  }),
  // In an address it would be the account that the caller acts for.
  list_group: read('POST', {
    needs: release,
    title: text('List device groups of a customer', 'Danh sách nhóm thiết bị của khách hàng', '客户设备分组列表'),
    input: z.object({ account_kid: Kid }),
    output: z.array(z.object({ kid: Kid, parent_kid: Kid.nullable(), name: z.string() })).describe('at most 2,000'),
  }),
  list_key: read('GET', {
    needs: 'osIssue:key',
    title: text('List keys that sign OS versions', 'Danh sách khóa ký phiên bản OS', 'OS 签名密钥列表'),
    input: Nothing,
    output: z.array(
      z.object({
        kid: Kid,
        public_key: z.string(),
        is_active: z.boolean(),
        is_offline: z.boolean().describe('the server does not hold its private half'),
        is_revoked: z.boolean().describe('devices that have heard of its successor do not believe it any more'),
        created_by: z.string(),
        created_at: Instant,
      }),
    ),
  }),
  key_statement: read('POST', {
    needs: 'osIssue:key',
    title: text('Read how a key gives way to another', 'Đọc câu chuyển giao khóa', '读取密钥交接声明'),
    input: z.object({ public_key: PublicKey }),
    output: z.object({
      statement: z
        .string()
        .describe('signed by the active key; the signature is over the UTF-8 bytes of this very text'),
      is_offline: z.boolean().describe('only the holder of the active key can sign it'),
    }),
    errors: ['os_key_wrong', 'os_key_taken'],
  }),
  register_key: write('POST', {
    needs: 'osIssue:key',
    title: text(
      'Register a key that the server does not hold',
      'Đăng ký khóa mà máy chủ không giữ',
      '登记不由服务器保管的密钥',
    ),
    input: z.object({
      public_key: PublicKey,
      signature: Signature.optional().describe(
        'by the active key over its statement, where the server does not hold that one',
      ),
    }),
    output: Done,
    errors: [...signing, 'os_key_wrong', 'os_key_taken'],
    asks_password: () => true,
  }),
  rotate_key: write('POST', {
    needs: 'osIssue:key',
    title: text('Change the key that signs OS versions', 'Đổi khóa ký phiên bản OS', '更换 OS 签名密钥'),
    input: z.object({ is_old_revoked: z.boolean() }),
    output: Done,
    errors: ['os_key_offline'],
    asks_password: () => true,
  }),
})
