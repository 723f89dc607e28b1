import * as z from 'zod'
import { group, ofProvider, read, withinGroups, write } from '../kit.ts'
import type { Permission } from '../permissions.ts'
import { ByKid, Bytes, Count, Done, edited, Instant, Kid, Line, Nothing, paged, paging, Search, text } from '../wire.ts'
import { AppPackage, packageErrors, VersionCode } from './app_package.ts'
import { listUpload } from './interrupted_upload.ts'

export const appLimits = {
  screenshots: 8,
  dependencies: 20,
  /** Of each of the two levels. */
  categories: 100,
  picture_bytes: 2 * 1024 ** 2,
  picture_pixels: 64_000_000,
  intro: 4000,
  notes: 4000,
} as const

/** listed: it can be pushed; delisted: it can be changed and deleted. */
export const appStates = ['listed', 'delisted'] as const
export type AppState = (typeof appStates)[number]
/** private: of the account acted for; inherited: of the account above, or of the provider. */
export const appOrigins = ['private', 'inherited'] as const
export type AppOrigin = (typeof appOrigins)[number]
/** deb and zip: for terminals that run Linux. */
export const packageKinds = ['apk', 'apks', 'xapk', 'deb', 'zip'] as const
export type PackageKind = (typeof packageKinds)[number]

const Paragraph = (max: number) => z.string().trim().max(max)
const VersionName = Line(100, 1)
const Category = z.object({
  name: Line(64, 1),
  parent_kid: Kid.nullable().default(null).describe('of the first level'),
})

export const AppCategory = z.object({
  kid: Kid,
  parent_kid: Kid.nullable(),
  name: z.string(),
  origin: z.enum(appOrigins),
  app_count: Count.describe('apps that the caller sees in it, not those below'),
})
export type AppCategory = z.output<typeof AppCategory>

/** One APK of a package in several. What says nothing of devices is for all of them. */
export const AppSplit = z.object({
  file: z.string().describe('its name in the package'),
  is_base: z.boolean(),
  abi: z.string().nullable(),
  density: z.string().nullable(),
  language: z.string().nullable(),
})
export type AppSplit = z.output<typeof AppSplit>

export const AppVersion = z.object({
  kid: Kid,
  app_kid: Kid,
  version_name: z.string(),
  version_code: VersionCode,
  kind: z.enum(packageKinds),
  file_name: z.string(),
  size: Bytes,
  sha256: z.string(),
  md5: z.string(),
  signers: z.array(z.string()).describe("SHA-1 of the signers' certificates; read from the package, not verified"),
  min_sdk: z.number().int().nullable(),
  target_sdk: z.number().int().nullable(),
  abis: z.array(z.string()).describe('empty: runs on any'),
  permissions: z.array(z.string()),
  splits: z.array(AppSplit).describe('of a package in several APKs, the base first'),
  left_out: z.array(z.string()).describe('in the package and not put on devices: other apps, expansion files'),
  notes: z.string(),
  is_typed: z.boolean().describe('some of its facts were typed: the package does not say them'),
  is_offered: z.boolean().describe('the one that devices are given'),
  is_broken: z.boolean().describe('its bytes are gone or are others: it cannot be pushed'),
  created_by: z.string().describe("empty for another account's"),
  created_at: Instant,
})
export type AppVersion = z.output<typeof AppVersion>

export const App = z.object({
  kid: Kid,
  package: z.string(),
  name: z.string(),
  developer: z.string(),
  category_kid: Kid.nullable(),
  icon_url: z.string().nullable().describe('signed, one hour'),
  state: z.enum(appStates),
  origin: z.enum(appOrigins),
  is_system_signed: z.boolean().describe("signed with the key of the devices' system"),
  download_count: Count,
  space_used: Bytes.describe('all versions and pictures'),
  version_count: Count,
  offered: AppVersion.pick({
    kid: true,
    version_name: true,
    version_code: true,
    size: true,
    kind: true,
    is_broken: true,
  }).nullable(),
  created_by: z.string().describe("empty for another account's"),
  created_at: Instant,
  updated_at: Instant,
})
export type App = z.output<typeof App>
const AppName = App.pick({ kid: true, package: true, name: true, state: true, origin: true })
export const AppDetails = App.extend({
  intro: z.string(),
  screenshots: z.array(z.object({ kid: Kid, url: z.string().describe('signed, one hour') })),
  dependencies: z.array(AppName).describe('have to be on a device before it'),
  needed_by: z.array(AppName).describe('apps of the same account that depend on it'),
})
export type AppDetails = z.output<typeof AppDetails>

const Facts = AppVersion.pick({
  kind: true,
  signers: true,
  min_sdk: true,
  target_sdk: true,
  abis: true,
  permissions: true,
  splits: true,
  left_out: true,
}).extend({
  package: z.string().nullable(),
  version_name: z.string().nullable(),
  version_code: VersionCode.nullable(),
  label: z.string().nullable(),
  icon: z.string().nullable().describe('data URL'),
  is_icon_unshown: z.boolean().describe("it has an icon, and none that can be shown: a drawing of Android's"),
})
export const InspectedPackage = z.object({
  facts: Facts.describe('null is what the package does not say'),
  missing: z.array(z.enum(['package', 'version_name', 'version_code'])).describe('has to be typed'),
  app: z
    .object({
      kid: Kid,
      name: z.string(),
      highest_code: VersionCode.nullable(),
      signer_differs: z.boolean().describe('what is there is signed by another key'),
    })
    .nullable()
    .describe('the app of this package that the account has'),
})
export type InspectedPackage = z.output<typeof InspectedPackage>

export const InstalledVersion = z.object({
  version: z.string().describe('as devices report it'),
  version_code: VersionCode.nullable().describe('where the devices say it'),
  devices: Count,
  version_kid: Kid.nullable().describe(
    'the version here that has this code, or this name where the devices say no code',
  ),
})
export type InstalledVersion = z.output<typeof InstalledVersion>

export const AppSpace = z.object({
  disk_space: Bytes.describe('bytes that the account may store'),
  used: Bytes.describe('by versions and pictures that are kept'),
  arriving: Bytes.describe('by uploads that are not kept yet'),
  app_count: Count,
})
export type AppSpace = z.output<typeof AppSpace>

const Typed = {
  package: AppPackage.optional().describe('only where the package does not say it'),
  version_name: VersionName.optional().describe('only where the package does not say it'),
  version_code: VersionCode.optional().describe('only where the package does not say it'),
}
const Draft = z.object({
  name: Line(100, 1),
  developer: Line(100).default(''),
  intro: Paragraph(appLimits.intro).default(''),
  category_kid: Kid.nullable().default(null),
  is_system_signed: z.boolean().default(false),
  dependency_kids: z.array(Kid).max(appLimits.dependencies).default([]),
  icon_upload_kid: Kid.optional().describe('a PNG or JPEG; without one, that of the package'),
  screenshot_upload_kids: z.array(Kid).max(appLimits.screenshots).default([]),
})
const uploadErrors = ['upload_not_finished', 'file_transfer_failed', 'storage_exceeded'] as const
const draftErrors = ['app_category_unknown', 'app_dependency_unknown', 'app_picture_invalid'] as const

type Needs = {
  list: Permission
  details: Permission
  add: Permission
  edit: Permission
  add_version: Permission
  edit_version: Permission
  publish: Permission
  delete: Permission
  category: Permission
  cancel: Permission
}

const rows = <const N extends Needs>(needs: N) => ({
  list_category: read('GET', {
    needs: needs.list,
    title: text('List app categories', 'Danh sách danh mục ứng dụng', '应用分类列表'),
    input: Nothing,
    output: z.array(AppCategory).describe('both levels, those above before those below'),
  }),
  insert_category: write('POST', {
    needs: needs.category,
    title: text('Create an app category', 'Tạo danh mục ứng dụng', '新建应用分类'),
    input: Category,
    output: ByKid,
    errors: ['duplicate_name', 'app_category_unknown', 'app_category_level', 'app_category_limit'],
  }),
  update_category: write('POST', {
    needs: needs.category,
    limited: 'refused',
    title: text('Rename an app category', 'Đổi tên danh mục ứng dụng', '重命名应用分类'),
    input: Category.pick({ name: true }).extend({ kid: Kid }),
    output: Done,
    errors: ['duplicate_name'],
  }),
  delete_category: write('POST', {
    needs: needs.category,
    limited: 'refused',
    title: text('Delete an app category', 'Xóa danh mục ứng dụng', '删除应用分类'),
    input: ByKid,
    output: Done,
    errors: ['app_category_has_children'],
    works_on_full_disk: true,
  }),
  paging: read('POST', {
    needs: needs.list,
    title: text('List apps', 'Danh sách ứng dụng', '应用列表'),
    input: paging(['name', 'updated_at', 'created_at', 'download_count', 'space_used']).extend({
      text: Search.describe('part of name, package or developer'),
      category_kid: Kid.optional().describe('with those below'),
      state: z.enum(appStates).optional(),
      origin: z.enum(appOrigins).optional(),
    }),
    output: paged(App),
  }),
  get: read('GET', {
    needs: needs.details,
    title: text('Read an app', 'Đọc ứng dụng', '读取应用'),
    input: ByKid,
    output: AppDetails,
  }),
  get_space: read('GET', {
    needs: needs.list,
    title: text('Read the space of the app center', 'Xem dung lượng kho ứng dụng', '查看应用中心空间'),
    input: Nothing,
    output: AppSpace,
  }),
  list_upload: listUpload(needs.list),
  inspect_upload: read('POST', {
    needs: needs.list,
    needs_for: ({ app_kid }) => (app_kid === undefined ? needs.add : needs.add_version),
    title: text('Read an uploaded package', 'Đọc gói đã tải lên', '读取已上传的安装包'),
    input: z.object({ upload_kid: Kid, app_kid: Kid.optional().describe('for a version of this app') }),
    output: InspectedPackage,
    errors: ['upload_not_finished', 'file_transfer_failed', ...packageErrors],
    keeps_uploads: true,
  }),
  insert: write('POST', {
    needs: needs.add,
    title: text('Add an app', 'Thêm ứng dụng', '添加应用'),
    input: Draft.extend({
      upload_kid: Kid.describe('an APK, or a package in several: .apks, .xapk'),
      ...Typed,
      notes: Paragraph(appLimits.notes).default(''),
      is_listed: z.boolean().default(false),
    }),
    output: z.object({ kid: Kid, version_kid: Kid }),
    errors: [...uploadErrors, ...packageErrors, ...draftErrors, 'app_facts_missing', 'app_package_taken'],
    keeps_uploads: true,
  }),
  update: write('POST', {
    needs: needs.edit,
    limited: 'refused',
    title: text('Edit an app', 'Sửa ứng dụng', '编辑应用'),
    input: edited(Draft).extend({
      kid: Kid,
      name: Draft.shape.name.optional(),
      screenshot_kids: z.array(Kid).max(appLimits.screenshots).optional().describe('those that stay, in their order'),
    }),
    output: Done,
    errors: [...uploadErrors, ...draftErrors, 'app_pictures_limit', 'app_dependency_cycle'],
    keeps_uploads: true,
  }),
  delete: write('POST', {
    needs: needs.delete,
    limited: 'refused',
    title: text('Delete an app', 'Xóa ứng dụng', '删除应用'),
    input: ByKid,
    output: Done,
    errors: ['app_listed', 'app_needed', 'app_has_tasks'],
    works_on_full_disk: true,
  }),
  enlist: write('POST', {
    needs: needs.publish,
    limited: 'refused',
    title: text('List an app', 'Đưa ứng dụng lên kho', '上架应用'),
    input: ByKid,
    output: Done,
    errors: ['app_listed_already', 'app_without_version'],
  }),
  delist: write('POST', {
    needs: needs.publish,
    limited: 'refused',
    needs_for: ({ tasks }) => (tasks === 'cancel' ? needs.cancel : needs.publish),
    title: text('Delist an app', 'Gỡ ứng dụng khỏi kho', '下架应用'),
    input: ByKid.extend({
      tasks: z
        .enum(['cancel', 'keep'])
        .optional()
        .describe('what becomes of push tasks that have not ended; asked for then'),
    }),
    output: z.object({ canceled: Count.describe('push tasks') }),
    errors: ['app_delisted_already', 'app_delist_choice'],
    works_on_full_disk: true,
  }),
  open_tasks: read('GET', {
    needs: needs.list,
    title: text('Count push tasks of an app', 'Số tác vụ đẩy của ứng dụng', '应用的推送任务数'),
    input: ByKid,
    output: z.object({
      tasks: Count.describe('that have not ended, of all accounts that have the app'),
      devices: Count.describe('that still wait or are at it'),
      customers: Count.describe('accounts whose tasks these are'),
    }),
  }),
  paging_version: read('POST', {
    needs: needs.details,
    title: text('List versions of an app', 'Danh sách phiên bản ứng dụng', '应用版本列表'),
    input: paging(['version_code', 'created_at', 'size']).extend({ app_kid: Kid }),
    output: paged(AppVersion),
  }),
  get_version: read('GET', {
    needs: needs.details,
    title: text('Read a version of an app', 'Đọc phiên bản ứng dụng', '读取应用版本'),
    input: ByKid,
    output: AppVersion,
  }),
  insert_version: write('POST', {
    needs: needs.add_version,
    limited: 'refused',
    title: text('Add a version of an app', 'Thêm phiên bản ứng dụng', '添加应用版本'),
    input: z.object({
      app_kid: Kid,
      upload_kid: Kid,
      ...Typed,
      notes: Paragraph(appLimits.notes).default(''),
      is_offered: z.boolean().default(true).describe('devices are given this one from now on'),
      is_signer_accepted: z.boolean().default(false).describe('although it is signed by another key'),
    }),
    output: ByKid,
    errors: [
      ...uploadErrors,
      ...packageErrors,
      'app_facts_missing',
      'app_package_differs',
      'app_signer_differs',
      'app_version_lower',
      'duplicate_version',
    ],
    keeps_uploads: true,
  }),
  update_version: write('POST', {
    needs: needs.edit_version,
    limited: 'refused',
    title: text('Edit a version of an app', 'Sửa phiên bản ứng dụng', '编辑应用版本'),
    input: z.object({
      kid: Kid,
      notes: Paragraph(appLimits.notes).optional(),
      version_name: VersionName.optional().describe('of one whose facts were typed'),
    }),
    output: Done,
    errors: ['app_facts_read'],
  }),
  offer_version: write('POST', {
    needs: needs.edit_version,
    limited: 'refused',
    title: text('Offer a version of an app', 'Cung cấp phiên bản ứng dụng', '切换提供的应用版本'),
    input: ByKid,
    output: Done,
  }),
  delete_version: write('POST', {
    needs: needs.delete,
    limited: 'refused',
    title: text('Delete a version of an app', 'Xóa phiên bản ứng dụng', '删除应用版本'),
    input: ByKid,
    output: Done,
    errors: ['app_version_offered', 'app_version_has_tasks'],
    works_on_full_disk: true,
  }),
  download_version: write('POST', {
    needs: needs.details,
    title: text('Download a version of an app', 'Tải phiên bản ứng dụng', '下载应用版本'),
    input: ByKid,
    output: z.object({ url: z.string().describe('signed, one hour') }),
  }),
  installed: read('GET', {
    needs: needs.details,
    title: text('Count devices by version of an app', 'Số thiết bị theo phiên bản ứng dụng', '按应用版本统计设备'),
    input: ByKid,
    output: z.object({
      items: z.array(InstalledVersion).describe('highest first, at most 200'),
      devices: Count.describe('on which it is installed'),
      behind: Count.describe('with a lower version than the offered one, by its code where the device says that'),
    }),
  }),
})

/** What each call of the two sides needs. */
export const appNeeds = {
  account: {
    list: 'appCenterList',
    details: 'appCenterDetails',
    add: 'appCenterAdd',
    edit: 'appCenterEdit',
    add_version: 'appCenterAddVersion',
    edit_version: 'appCenterEditVersion',
    publish: 'appCenterList:publish',
    delete: 'appCenterList:delete',
    category: 'appCenterList:category',
    cancel: 'deviceDetailTask:cancel',
  },
  platform: {
    list: 'platformApkList',
    details: 'platformApkDetails',
    add: 'platformApkAdd',
    edit: 'platformApkEdit',
    add_version: 'platformApkAddVersion',
    edit_version: 'platformApkEditVersion',
    publish: 'platformApkList:publish',
    delete: 'platformApkList:delete',
    category: 'platformApkList:category',
    cancel: 'platformApkList:publish',
  },
} as const satisfies Record<string, Needs>

/** Apps of the account acted for, and those that it inherits. */
export const appCenter = group(
  withinGroups('app_center'),
  text('App center', 'Kho ứng dụng', '应用中心'),
  rows(appNeeds.account),
)
/** The provider's own apps, which every customer inherits. */
export const opsPlatformApk = group(
  ofProvider('ops/platform_apk'),
  text('Platform apps', 'Ứng dụng nền tảng', '平台应用'),
  rows(appNeeds.platform),
)
