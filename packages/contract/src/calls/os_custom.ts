import * as z from 'zod'
import { group, ofWhole, read, write } from '../kit.ts'
import { osBuildLineEvents } from '../os-build.ts'
import { osBuildStates, osBuildSteps, osCustomStates } from '../states/os_custom.ts'
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
} from '../wire.ts'
import { packageKinds } from './app_center.ts'
import { fileOrigins } from './file_cloud.ts'
import { OsPushing } from './os_version.ts'
import { DevicePath } from './push_kinds.ts'

export const osCustomLimits = {
  /** Of an account. */
  customs: 200,
  apps: 40,
  files: 200,
  picture_bytes: 5 * 1024 ** 2,
  picture_side: 4096,
  /** Begun or tried again, of an account. */
  builds_per_hour: 20,
  /** What goes into one, packed as it is: ZIP has no more room without ZIP64, which devices need not read. */
  input_bytes: 3_500_000_000,
  /** Choices of a select. */
  choices: 50,
} as const

/** "Names allow only underscore and hyphen as special characters" (specification, 5); words may have a space between them. */
const CustomName = z
  .string()
  .trim()
  .min(1)
  .max(40)
  .regex(...shaped('name_special', /^[\p{L}\p{N}_-]+(?: [\p{L}\p{N}_-]+)*$/u))

const Sha = z.string().describe('SHA-256')
const whenGone = 'it is not there any more: a build would be refused'

export const OsBuildBrief = z.object({
  kid: Kid,
  number: Count.describe('of this custom OS, from 1 on'),
  os_version: z.string(),
  version_code: Count,
  ver: Count,
  state: z.enum(osBuildStates),
  step: z.enum(osBuildSteps).describe('in which it is, or ended'),
  progress: z.number().int().min(0).max(100).describe('of the step'),
  fault: z.string().nullable().describe('why it failed, in the language of the caller'),
  size: Bytes.nullable(),
  md5: z.string().nullable(),
  sha256: Sha.nullable(),
  os_version_kid: Kid.nullable().describe('the OS version that it became'),
  release: z.enum(osReleaseStates).nullable().describe('where that version stands'),
  created_by: z.string(),
  created_at: Instant,
  started_at: Instant.nullable(),
  ended_at: Instant.nullable(),
})
export type OsBuildBrief = z.output<typeof OsBuildBrief>

export const OsCustomRow = z.object({
  kid: Kid,
  name: z.string(),
  state: z.enum(osCustomStates),
  model_code: z.string(),
  base_kid: Kid,
  base_os_version: z.string(),
  uid_code: z.string().describe('of its own: devices that run it report it'),
  base_uid_code: z.string().describe('of devices that can be given it'),
  app_count: Count,
  file_count: Count,
  has_picture: z.boolean(),
  configuration_name: z.string().nullable(),
  remark: z.string(),
  build: OsBuildBrief.nullable().describe('the newest'),
  released: z.array(z.string()).describe('versions of it that devices may be given'),
  created_by: z.string(),
  created_at: Instant,
  updated_at: Instant,
})
export type OsCustomRow = z.output<typeof OsCustomRow>

const ChosenApp = z.object({
  app_kid: Kid,
  version_kid: Kid.nullable().default(null).describe('null: the one that is offered when it is built'),
})
const ChosenFile = z.object({ file_kid: Kid, path: DevicePath.describe('folder on the device') })

export const OsCustomDetail = OsCustomRow.extend({
  model_kid: Kid,
  apps: z.array(
    ChosenApp.extend({
      version_kid: Kid.nullable(),
      name: z.string(),
      version_name: z.string().nullable(),
      is_gone: z.boolean().describe(whenGone),
    }),
  ),
  files: z.array(ChosenFile.extend({ name: z.string(), is_gone: z.boolean().describe(whenGone) })),
  configuration: z.object({ kid: Kid, name: z.string(), is_gone: z.boolean().describe(whenGone) }).nullable(),
  picture: z
    .object({
      name: z.string(),
      size: Bytes,
      width: Count,
      height: Count,
      url: z.string().describe('signed download address, one hour'),
    })
    .nullable(),
})
export type OsCustomDetail = z.output<typeof OsCustomDetail>

/** What is in a build. */
const Contents = z.object({
  model_code: z.string(),
  uid_code: z.string(),
  base_os_version: z.string(),
  file_name: z.string(),
  bases: z.array(z.object({ kind: z.string(), file_name: z.string(), size: Bytes, sha256: Sha })),
  apps: z.array(
    z.object({
      package: z.string(),
      name: z.string(),
      version_name: z.string(),
      version_code: Count,
      kind: z.enum(packageKinds),
      size: Bytes,
      sha256: Sha,
      is_inherited: z.boolean(),
    }),
  ),
  files: z.array(z.object({ name: z.string(), path: z.string(), size: Bytes, sha256: Sha })),
  picture: z.object({ name: z.string(), size: Bytes, sha256: Sha }).nullable(),
  configuration: z
    .object({
      name: z.string(),
      version: Count,
      sections: z.array(z.string()),
      left_out: z.array(z.string()).describe('sections that hold secrets: devices get them from the server'),
    })
    .nullable(),
})
export const OsBuildDetail = OsBuildBrief.extend({
  os_custom_kid: Kid,
  name: z.string().describe('of the custom OS, when it was built'),
  contents: Contents,
  lines: z
    .array(
      z.object({
        at: Instant,
        step: z.enum(osBuildSteps),
        event: z.enum(osBuildLineEvents),
        details: z.record(z.string(), z.union([z.string(), z.number()])),
      }),
    )
    .describe('its log, oldest first, at most 1,000; kept for a month'),
})
export type OsBuildDetail = z.output<typeof OsBuildDetail>

const Fields = z.object({
  name: CustomName,
  base_kid: Kid,
  apps: z.array(ChosenApp).max(osCustomLimits.apps).default([]),
  files: z.array(ChosenFile).max(osCustomLimits.files).default([]),
  configuration_kid: Kid.nullable().default(null).describe('of the account or of one of its groups'),
  remark: Line(200).default(''),
})
const picture = { picture_upload_kid: Kid.optional().describe('a PNG that devices show while they start') }
const itemErrors = [
  'duplicate_name',
  'oscs_base_not_ready',
  'os_custom_item_gone',
  'os_custom_twice',
  'os_picture_invalid',
  'upload_not_finished',
  'file_transfer_failed',
  'storage_exceeded',
] as const
const list = 'userOsCustomList'
const choose = ['userOsCustomAdd', 'userOsCustomEdit'] as const
const inputErrors = [
  'oscs_base_not_ready',
  'os_custom_item_gone',
  'app_not_listed',
  'app_without_version',
  'app_push_too_many',
  'os_custom_twice',
  'os_custom_too_large',
  'os_custom_older',
] as const

/** Operating systems that a customer has built for its own devices. */
export const osCustom = group(ofWhole('os_custom'), text('Custom OS', 'OS tùy chỉnh', '定制 OS'), {
  paging: read('POST', {
    needs: list,
    title: text('List custom OS', 'Danh sách OS tùy chỉnh', '定制 OS 列表'),
    input: paging(['updated_at', 'created_at', 'name']).extend({
      text: Search.describe('part of the name, the model or the base version'),
      state: z.enum(osCustomStates).optional(),
      build: z.enum(osBuildStates).optional().describe('where the newest build stands'),
    }),
    output: paged(OsCustomRow),
  }),
  get: read('GET', {
    needs: [list, 'userOsCustomEdit', 'userOsCustomApp'],
    title: text('Read a custom OS', 'Đọc OS tùy chỉnh', '读取定制 OS'),
    input: ByKid,
    output: OsCustomDetail,
  }),
  list_base: read('GET', {
    needs: choose,
    title: text('List what a custom OS can be built on', 'Danh sách phiên bản gốc', '可选基础版本列表'),
    input: Nothing,
    output: z
      .array(
        z.object({
          kid: Kid,
          model_kid: Kid,
          model_code: z.string(),
          model_name: z.string(),
          base_os_version: z.string(),
        }),
      )
      .describe('by model, newest version first; at most 1,000'),
  }),
  list_app: read('GET', {
    needs: choose,
    title: text('List apps for a custom OS', 'Danh sách ứng dụng cho OS tùy chỉnh', '定制 OS 可选应用列表'),
    input: z.object({ text: Search }),
    output: z
      .array(
        z.object({
          kid: Kid,
          name: z.string(),
          package: z.string(),
          is_inherited: z.boolean(),
          versions: z
            .array(z.object({ kid: Kid, version_name: z.string(), version_code: Count, is_offered: z.boolean() }))
            .describe('newest first, at most 20'),
        }),
      )
      .describe(`that are listed, by name, at most ${osCustomLimits.choices}`),
  }),
  list_file: read('GET', {
    needs: choose,
    title: text('List files for a custom OS', 'Danh sách tệp cho OS tùy chỉnh', '定制 OS 可选文件列表'),
    input: z.object({ text: Search }),
    output: z
      .array(
        z.object({
          kid: Kid,
          name: z.string(),
          size: Bytes,
          origin: z.enum(fileOrigins),
          device_path: z.string().describe('where it belongs on a device by its folder'),
        }),
      )
      .describe(`by name, at most ${osCustomLimits.choices}`),
  }),
  list_configuration: read('GET', {
    needs: choose,
    title: text('List configurations for a custom OS', 'Danh sách cấu hình cho OS tùy chỉnh', '定制 OS 可选配置列表'),
    input: Nothing,
    output: z
      .array(
        z.object({
          kid: Kid,
          name: z.string(),
          type: z.number().int(),
          version: Count,
          terminal_group_name: z.string().nullable().describe('null: of the account'),
        }),
      )
      .describe('at most 500'),
  }),
  insert: write('POST', {
    needs: 'userOsCustomAdd',
    title: text('Create a custom OS', 'Tạo OS tùy chỉnh', '新建定制 OS'),
    input: Fields.extend(picture),
    output: ByKid,
    errors: [...itemErrors, 'os_custom_limit', 'os_custom_no_code'],
    keeps_uploads: true,
  }),
  update: write('POST', {
    needs: 'userOsCustomEdit',
    title: text('Edit a custom OS', 'Sửa OS tùy chỉnh', '修改定制 OS'),
    input: edited(Fields)
      .partial()
      .extend({ kid: Kid, ...picture, is_picture_removed: z.boolean().optional() }),
    output: Done,
    errors: [...itemErrors, 'os_custom_abandoned', 'os_custom_building', 'os_custom_model_fixed'],
    keeps_uploads: true,
  }),
  delete: write('POST', {
    needs: 'userOsCustomList:delete',
    title: text('Delete a custom OS', 'Xóa OS tùy chỉnh', '删除定制 OS'),
    input: ByKid.describe('with its builds and their versions'),
    output: Done,
    errors: ['os_custom_building', 'os_custom_released', 'os_being_pushed'],
    works_on_full_disk: true,
  }),
  recustomise: write('POST', {
    needs: 'userOsCustomList:build',
    title: text('Build a custom OS', 'Tạo gói OS tùy chỉnh', '构建定制 OS'),
    input: ByKid,
    output: z.object({ build_kid: Kid }),
    errors: [...inputErrors, 'os_custom_abandoned', 'os_custom_building', 'os_builds_per_hour'],
  }),
  abandon: write('POST', {
    needs: 'userOsCustomEdit',
    title: text('Abandon a custom OS', 'Ngừng dùng OS tùy chỉnh', '废弃定制 OS'),
    input: ByKid,
    output: Done,
    errors: ['os_custom_abandoned', 'os_custom_building'],
    works_on_full_disk: true,
  }),
  restore: write('POST', {
    needs: 'userOsCustomEdit',
    title: text('Take up an abandoned custom OS', 'Dùng lại OS tùy chỉnh', '恢复定制 OS'),
    input: ByKid,
    output: Done,
    errors: ['os_custom_not_abandoned'],
  }),
  list_build: read('GET', {
    needs: [list, 'userOsCustomApp'],
    title: text('List builds of a custom OS', 'Danh sách lần tạo OS tùy chỉnh', '定制 OS 构建列表'),
    input: ByKid,
    output: z.array(OsBuildBrief).describe('newest first, at most 100'),
  }),
  get_build: read('GET', {
    needs: [list, 'userOsCustomApp'],
    title: text('Look at what a build contains', 'Xem nội dung của lần tạo', '查看构建内容'),
    input: ByKid.describe('of the build'),
    output: OsBuildDetail,
  }),
  cancel_build: write('POST', {
    needs: 'userOsCustomList:build',
    title: text('Cancel a build', 'Hủy lần tạo OS', '取消构建'),
    input: ByKid.describe('of the build'),
    output: Done,
    errors: ['os_build_over'],
    works_on_full_disk: true,
  }),
  retry_build: write('POST', {
    needs: 'userOsCustomList:build',
    title: text('Go on with a build that failed', 'Tiếp tục lần tạo bị lỗi', '重试失败的构建'),
    input: ByKid.describe('of the build; it goes on with the step that failed'),
    output: Done,
    errors: ['os_build_not_failed', 'os_custom_building', 'os_custom_abandoned', 'os_builds_per_hour'],
  }),
  download_build: write('POST', {
    needs: [list, 'userOsCustomApp'],
    title: text('Download a build of a custom OS', 'Tải bản OS tùy chỉnh đã tạo', '下载定制 OS 安装包'),
    input: ByKid.describe('of the build'),
    output: z.object({ url: z.string().describe('signed, one hour') }),
    errors: ['os_build_not_done'],
  }),
  delete_build: write('POST', {
    needs: 'userOsCustomList:delete',
    title: text('Delete a build', 'Xóa lần tạo OS', '删除构建'),
    input: ByKid.describe('of the build; its version goes with it'),
    output: Done,
    errors: ['os_custom_building', 'os_custom_released', 'os_being_pushed'],
    works_on_full_disk: true,
  }),
  release_build: write('POST', {
    needs: 'userOsCustomList:release',
    title: text('Release a custom OS', 'Phát hành OS tùy chỉnh', '发布定制 OS'),
    input: ByKid.describe('of the build'),
    output: Done,
    errors: ['os_build_not_done', 'os_state_wrong', 'os_build_unsigned'],
  }),
  pushing: read('GET', {
    needs: 'userOsCustomList:release',
    title: text('Count pushes of a custom OS', 'Đếm lượt đẩy OS tùy chỉnh', '统计定制 OS 的推送'),
    input: ByKid.describe('of the build'),
    output: OsPushing,
    errors: ['os_build_not_done'],
  }),
  take_offline: write('POST', {
    needs: 'userOsCustomList:release',
    title: text('Take a custom OS offline', 'Ngừng phát hành OS tùy chỉnh', '下线定制 OS'),
    input: z.object({
      kid: Kid.describe('of the build'),
      cancels_tasks: z.boolean().describe('whether pushes of it are canceled'),
    }),
    output: Done,
    errors: ['os_build_not_done', 'os_state_wrong'],
    works_on_full_disk: true,
  }),
})
