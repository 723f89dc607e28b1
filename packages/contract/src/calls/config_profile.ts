import * as z from 'zod'
import { group, ofWhole, read, write } from '../kit.ts'
import { ByKid, Count, Done, Instant, Kid, Line, paged, paging, Search, text, wrong } from '../wire.ts'
import { config_group_permission, ConfigAffected } from './terminal_config.ts'

export const profiles_max = 200
export const profile_uses_max = 500
const reads = ['deviceDetailConfig', 'configurePushList'] as const

const Draft = z.object({ name: Line(60, 1), description: Line(500).default('') })
/** A named set of sections. They are read and saved by the calls of configurations, at `ltscope` 35. */
export const ConfigProfile = Draft.extend({
  kid: Kid,
  sections: z.array(z.string()).describe('that are set in it'),
  uses: Count.describe('groups, dynamic groups and devices that use it, as far as the user reaches'),
  created_by: z.string(),
  created_at: Instant,
})
export type ConfigProfile = z.output<typeof ConfigProfile>

const target = {
  terminal_group_kid: Kid.optional().describe('a group with all below it'),
  terminal_dynamic_group_kid: Kid.optional(),
  terminal_kid: Kid.optional(),
}
const Use = z
  .object({ profile_kid: Kid, ...target })
  .refine(
    (use) => [use.terminal_group_kid, use.terminal_dynamic_group_kid, use.terminal_kid].filter(Boolean).length === 1,
    wrong('required', undefined, 'terminal_group_kid'),
  )
const Position = z.number().int().min(1).max(1_000)

export const ProfileUse = z.object({
  kid: Kid,
  terminal_group_kid: Kid.nullable(),
  terminal_dynamic_group_kid: Kid.nullable(),
  terminal_kid: Kid.nullable(),
  name: z.string().describe('of the group, dynamic group or device'),
  position: Count.describe('of several profiles of a device the one with the lowest comes first'),
  created_by: z.string(),
  created_at: Instant,
})
export type ProfileUse = z.output<typeof ProfileUse>

const title = text('Configuration profiles', 'Hồ sơ cấu hình', '配置文件集')
export const configProfile = group(ofWhole('config_profile'), title, {
  paging: read('POST', {
    needs: reads,
    title: text('List profiles', 'Danh sách hồ sơ', '配置集列表'),
    input: paging(['name', 'created_at']).extend({ text: Search }),
    output: paged(ConfigProfile),
  }),
  get: read('GET', {
    needs: reads,
    title: text('Read a profile', 'Đọc hồ sơ', '读取配置集'),
    input: ByKid,
    output: ConfigProfile,
  }),
  insert: write('POST', {
    needs: config_group_permission,
    title: text('Create a profile', 'Tạo hồ sơ', '新建配置集'),
    input: Draft,
    output: ByKid,
    errors: ['duplicate_name', 'profile_limit'],
  }),
  update: write('POST', {
    needs: config_group_permission,
    title: text('Rename a profile', 'Đổi tên hồ sơ', '重命名配置集'),
    input: Draft.extend({ kid: Kid, description: Line(500).optional() }),
    output: Done,
    errors: ['duplicate_name'],
  }),
  delete: write('POST', {
    needs: config_group_permission,
    title: text('Delete a profile', 'Xóa hồ sơ', '删除配置集'),
    input: ByKid.describe('refused while somebody uses it'),
    output: Done,
    errors: ['delete_failed'],
    works_on_full_disk: true,
  }),
  list_uses: read('GET', {
    needs: reads,
    title: text('List who uses a profile', 'Danh sách nơi dùng hồ sơ', '配置集使用列表'),
    input: ByKid,
    output: z.array(ProfileUse).describe('by position'),
  }),
  use_affected: read('POST', {
    needs: reads,
    title: text('See what using a profile would do', 'Xem dùng hồ sơ sẽ ảnh hưởng gì', '查看使用配置集的影响'),
    input: Use,
    output: ConfigAffected.describe('before it is used there, or no longer; devices are at most so many'),
  }),
  add_use: write('POST', {
    needs: config_group_permission,
    limited: 'refused',
    title: text('Use a profile', 'Dùng hồ sơ', '使用配置集'),
    input: Use.safeExtend({ position: Position.describe('a new one where it is used there already') }),
    output: Done,
    errors: ['profile_use_limit'],
    destroys: () => true,
  }),
  remove_use: write('POST', {
    needs: config_group_permission,
    limited: 'refused',
    title: text('Stop using a profile', 'Ngừng dùng hồ sơ', '停止使用配置集'),
    input: Use.describe('what is set above holds there again'),
    output: Done,
    destroys: () => true,
    works_on_full_disk: true,
  }),
})
