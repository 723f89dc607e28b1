import * as z from 'zod'
import { configSectionKeys, configStates, configTypes, levelNames, sectionTypes } from '../config/names.ts'
import type { ConfigSection } from '../config/names.ts'
import { configPlace, isConfigPlace, place_wrong } from '../config/level-place.ts'
import { constants, groupValues } from '../constants.ts'
import { group, read, withinGroups, write } from '../kit.ts'
import {
  ByKid,
  Count,
  Done,
  Instant,
  JsonValue,
  Kid,
  Line,
  paged,
  paging,
  QueryInt,
  Search,
  text,
  wrong,
} from '../wire.ts'
import { PlainRollout } from './push_options.ts'
import { namedOrMatched, targets } from './targets.ts'
import {
  appRows,
  ConfigLevel,
  configDeliveries,
  configOutcomes,
  ConfigSettings,
  effectives,
  intended,
  given_twice,
  isIntended,
  isOneOf,
  isSaved,
  nothing_given,
  savedSections,
  Sections,
  types,
} from './terminal_config_kit.ts'

export {
  configDeliveries,
  ConfigLevel,
  configOutcomes,
  configReasons,
  ConfigResult,
  ConfigSetting,
  ConfigSettings,
  EffectiveSection,
  OfferedApp,
} from './terminal_config_kit.ts'
export type { ConfigDelivery, ConfigOutcome, ConfigReason } from './terminal_config_kit.ts'

const { min, max } = constants.collection.variation
const Variation = z.number().int().min(min).max(max)
const Positive = z.number().int().min(1)

/** The policy in effect for a device, as lists have it. */
export const UploadRoles = z
  .object({
    battery_percent: Variation.nullable(),
    wifi_dbm: Variation.nullable(),
    mobile_dbm: Variation.nullable(),
    every_hours: Positive.nullable(),
    location_metres: Positive.nullable(),
    location_hours: Positive.nullable(),
    is_usage_on: z.boolean().describe('bytes by day and app'),
    source: z.enum(levelNames).describe('level that it comes from'),
    group: z
      .object({ kid: Kid, name: z.string() })
      .nullable()
      .describe('that it comes from; also null where who asks cannot see that group'),
  })
  .describe('what the device reports by itself; null is off')
export type UploadRoles = z.output<typeof UploadRoles>

const ConfigType = QueryInt.refine(
  (type) => (sectionTypes as number[]).includes(type),
  wrong('not_one_of', { values: sectionTypes.join(', ') }),
)

const named = {
  name: Line(60).optional().describe('of the configuration; kept where absent'),
  description: Line(500).optional(),
}
export const config_acts = ['save', 'reset', 'copy', 'revert'] as const
export type ConfigAct = (typeof config_acts)[number]

/** A configuration: all sections of one kind that are set at one level. */
export const Configuration = z.object({
  kid: Kid,
  type: z.number().int(),
  ltscope: z.number().int(),
  terminal_group_kid: Kid.nullable(),
  profile_kid: Kid.nullable(),
  terminal_kid: Kid.nullable(),
  place_name: z.string().nullable().describe('of the group, profile or device'),
  name: z.string(),
  description: z.string(),
  version: Count,
  sections_set: Count.describe('sections of the kind that are set here'),
  sections_total: Count.describe('sections of the kind'),
  completeness: z.number().int().min(0).max(100).describe('per cent of the sections of the kind that are set here'),
  state: z.number().int().describe('-1 not configured, 1 a change is on its way, 2 every device has it'),
  created_at: Instant,
  updated_at: Instant,
  updated_by: z.string(),
})
export type Configuration = z.output<typeof Configuration>

/** Devices that a change reached, by where they are with it. */
export const ConfigProgress = z.object({
  devices: Count.describe('that it was for'),
  applied: Count,
  waiting: Count,
  failed: Count.describe('hold it, and did not obey a section of it'),
  superseded: Count.describe('have been told something newer since, or left'),
  held: Count.describe('keep what they had: their step has not begun'),
  is_queuing: z.boolean().describe('devices are still being told that there is something new'),
})
export const ConfigChange = z.object({
  kid: Kid,
  type: z.number().int(),
  ltscope: z.number().int(),
  terminal_group_kid: Kid.nullable(),
  profile_kid: Kid.nullable(),
  terminal_kid: Kid.nullable(),
  place_name: z.string().nullable(),
  name: z.string(),
  version: Count,
  act: z.enum(config_acts),
  sections: z.array(z.string()),
  created_at: Instant,
  created_by: z.string(),
  progress: ConfigProgress,
  push_task_kid: Kid.nullable().describe('the push whose steps it goes out in'),
  is_in_steps: z.boolean().describe('its steps are not over'),
  is_newest: z.boolean().describe('no later change of the same configuration'),
})
export type ConfigChange = z.output<typeof ConfigChange>

const SectionValues = z.record(z.string(), JsonValue).describe('by section; one that was not set is absent')

export const ConfigVersion = ConfigChange.extend({
  before: SectionValues,
  after: SectionValues,
})

export const ConfigDrift = z.object({
  kid: Kid.describe('of the device'),
  sn: z.string(),
  name: z.string(),
  is_online: z.boolean(),
  last_online_at: Instant.nullable(),
  terminal_group_kid: Kid.nullable(),
  version_wanted: Count.nullable(),
  version_held: Count.nullable(),
  state: z.enum(configDeliveries),
  causes: z.array(
    z.object({
      section: z.string(),
      outcome: z.enum(configOutcomes),
      reason: z.string().nullable(),
      message: z.string().nullable(),
    }),
  ),
})
export type ConfigDrift = z.output<typeof ConfigDrift>

export const ConfigAffected = z.object({
  sections: z.array(z.string()).describe('that would be something else than now'),
  devices: Count,
  items: z
    .array(z.object({ kid: Kid, sn: z.string(), name: z.string(), is_online: z.boolean() }))
    .describe('the first 50 by SN'),
})
export type ConfigAffected = z.output<typeof ConfigAffected>

/** What saving or resetting takes in addition, for the account and its groups. */
export const config_group_permission = 'deviceDetailConfig:group'
const reads = ['deviceDetailConfig', 'configurePushList'] as const

const delivery = z
  .object({
    version_wanted: Count.nullable().describe('null while it is being worked out'),
    version_held: Count.nullable().describe('null until the device has said it'),
    state: z.enum(configDeliveries),
    sent_at: Instant.nullable().describe('of the version that is wanted'),
  })
  .nullable()
  .describe('of a device')
export const ConfigInEffect = z.object({ ...effectives, delivery })
export const copy_targets_max = 100

/** As a push of as many devices does; until then its devices keep what they had. */
const approval = {
  waits_for_approval: z
    .boolean()
    .describe('what takes hold of devices does once a second person has approved its push'),
}

const CopyInput = z
  .object({
    ...configPlace,
    sections: Sections.optional().describe('all that are set there when absent'),
    terminal_group_kids: z.array(Kid).max(copy_targets_max).default([]).describe('groups that it is copied to'),
    terminal_kids: z.array(Kid).max(copy_targets_max).default([]).describe('devices that it is copied to'),
  })
  .refine(isConfigPlace, place_wrong)
  .refine(
    (input) => input.terminal_group_kids.length + input.terminal_kids.length > 0,
    wrong('required', undefined, 'terminal_group_kids'),
  )

export const terminalConfig = group(withinGroups('terminal_config'), text('Configuration', 'Cấu hình', '配置'), {
  get: read('GET', {
    needs: reads,
    title: text('Read what is set at a level', 'Đọc thiết lập của một cấp', '读取某一级的配置'),
    input: z.object(configPlace).refine(isConfigPlace, place_wrong),
    output: ConfigSettings,
  }),
  current: read('GET', {
    path: 'get/current',
    needs: 'signed_in',
    scope: 'tenant',
    title: text('Read a kind in effect', 'Đọc một loại cấu hình đang có hiệu lực', '读取某类生效的配置'),
    input: z.object({ ...configPlace, type: ConfigType }).refine(isConfigPlace, place_wrong),
    output: ConfigInEffect,
  }),
  current_config: read('GET', {
    path: 'get/current_config',
    needs: 'signed_in',
    scope: 'tenant',
    title: text('Read the configuration in effect', 'Đọc cấu hình đang có hiệu lực', '读取生效的配置'),
    input: z
      .object({ ...configPlace, types })
      .refine(isConfigPlace, place_wrong)
      .describe(
        'what the console itself goes by (kinds 2 and 99 of the account) is everybody’s; the rest takes a permission',
      ),
    output: ConfigInEffect,
  }),
  other_info: read('GET', {
    path: 'get/terminal/config/other/info',
    needs: reads,
    title: text('Read about a configuration', 'Đọc thông tin về cấu hình', '读取配置的其他信息'),
    input: z
      .object({
        type: ConfigType,
        terminal_kid: Kid.optional(),
        terminal_group_kid: Kid.optional(),
        profile_kid: Kid.optional(),
      })
      .refine(
        ({ terminal_kid, terminal_group_kid, profile_kid }) =>
          [terminal_kid, terminal_group_kid, profile_kid].filter(Boolean).length < 2,
        wrong('config_place', undefined, 'terminal_kid'),
      )
      .describe('the account’s when neither is named'),
    output: z.object({
      configuration: Configuration.nullable().describe('null where nothing was ever set there'),
      inherits_from: ConfigLevel.nullable().describe('the nearest level above at which the kind is set'),
      devices: Count.describe('at and below this level'),
    }),
  }),
  paging: read('POST', {
    needs: reads,
    title: text('List configurations', 'Danh sách cấu hình', '配置列表'),
    input: paging(['updated_at', 'created_at', 'name', 'version']).extend({
      text: Search,
      types: z.array(z.number().int()).max(10).optional(),
      ltscope: z.number().int().optional(),
      terminal_group_kid: Kid.optional().describe('of this group'),
      state: z.literal(Object.values(configStates)).optional(),
    }),
    output: paged(Configuration),
  }),
  save: write('POST', {
    needs: 'deviceDetailConfig:edit',
    title: text('Change a configuration', 'Thay đổi cấu hình', '修改配置'),
    input: z
      .object({
        ...configPlace,
        ...named,
        ...savedSections,
        rollout: PlainRollout.optional().describe('devices get it in steps; those of later ones keep what they had'),
      })
      .refine(isConfigPlace, place_wrong)
      .refine(isSaved, nothing_given)
      .refine(isOneOf, given_twice),
    output: z.object(approval),
    errors: ['config_in_steps'],
    destroys: () => true,
  }),
  update: write('POST', {
    needs: 'deviceDetailConfig:edit',
    title: text('Name a configuration', 'Đặt tên cấu hình', '命名配置'),
    input: z.object({ kid: Kid.describe('of the configuration'), ...named }),
    output: Done,
  }),
  reset: write('POST', {
    needs: 'deviceDetailConfig:edit',
    title: text('Reset a configuration', 'Đặt lại cấu hình', '重置配置'),
    input: z
      .object({ ...configPlace, sections: Sections.optional().describe('all when absent') })
      .refine(isConfigPlace, place_wrong),
    output: z.object({ reset: Count.describe('sections that were set there'), ...approval }),
    errors: ['config_in_steps'],
    destroys: () => true,
  }),
  copy: write('POST', {
    needs: 'deviceDetailConfig:edit',
    title: text('Copy a configuration', 'Sao chép cấu hình', '复制配置'),
    input: CopyInput,
    output: z.object({ copied: Count.describe('sections'), places: Count, ...approval }),
    errors: ['config_to_push_missing', 'config_in_steps'],
    destroys: () => true,
  }),
  copy_affected: read('POST', {
    needs: reads,
    title: text('See what a copy would do', 'Xem sao chép sẽ ảnh hưởng gì', '查看复制的影响'),
    input: CopyInput,
    output: ConfigAffected,
  }),
  affected: read('POST', {
    needs: reads,
    title: text('See what a change would do', 'Xem thay đổi sẽ ảnh hưởng gì', '查看修改的影响'),
    input: z
      .object({ ...configPlace, ...intended })
      .refine(isConfigPlace, place_wrong)
      .refine(isIntended, nothing_given),
    output: ConfigAffected,
  }),
  change_paging: read('POST', {
    needs: reads,
    title: text('List changes of configurations', 'Danh sách thay đổi cấu hình', '配置变更列表'),
    input: paging(['created_at']).extend({
      ltscope: z.number().int().optional(),
      types: z.array(z.number().int()).max(10).optional(),
      terminal_group_kid: Kid.optional(),
      profile_kid: Kid.optional(),
      terminal_kid: Kid.optional(),
    }),
    output: paged(ConfigChange),
  }),
  change_get: read('GET', {
    needs: reads,
    title: text('Read a change of a configuration', 'Đọc thay đổi cấu hình', '读取配置变更'),
    input: ByKid,
    output: ConfigVersion,
  }),
  revert: write('POST', {
    needs: 'deviceDetailConfig:edit',
    title: text('Go back to a version', 'Quay lại một phiên bản', '恢复到某个版本'),
    input: z.object({ kid: Kid.describe('of the change that made the version') }),
    output: z.object({ sections: z.array(z.string()).describe('that changed by it'), ...approval }),
    errors: ['config_in_steps'],
    destroys: () => true,
  }),
  abort: write('POST', {
    needs: 'deviceDetailConfig:edit',
    title: text('Abort a change that goes out in steps', 'Dừng thay đổi theo từng bước', '中止分步推送的变更'),
    input: z.object({ kid: Kid.describe('of the change') }).describe('the level goes back to what was set before'),
    output: z.object({ sections: z.array(z.string()).describe('that went back') }),
    errors: ['config_not_in_steps'],
    destroys: () => true,
    works_on_full_disk: true,
  }),
  get_statistical_result: read('GET', {
    needs: reads,
    title: text('Count devices by state', 'Đếm thiết bị theo trạng thái', '按状态统计设备'),
    input: z.object({
      terminal_group_kid: z
        .union([Kid, z.literal([groupValues.all, groupValues.none])])
        .default(groupValues.all)
        .describe('with all below; ALL, NO_GROUP'),
      type: ConfigType.default(configTypes.os),
    }),
    output: z.object({
      total: Count,
      not_configured: Count.describe('state -1'),
      modify: Count.describe('state 1'),
      modified: Count.describe('state 2'),
      failed: Count.describe('of those in state 2: a section failed'),
      not_supported: Count.describe('of those in state 2: a section cannot be obeyed'),
    }),
  }),
  drift: read('POST', {
    needs: reads,
    title: text('List devices that differ', 'Danh sách thiết bị chưa khớp', '配置不一致的设备'),
    input: paging(['sn', 'last_online_at']).extend({
      text: Search,
      cause: z.enum(['not_connected', 'waiting', 'failed', 'not_supported']).optional(),
      section: z
        .enum(configSectionKeys as [ConfigSection, ...ConfigSection[]])
        .optional()
        .describe('for it alone'),
      terminal_group_kid: Kid.optional().describe('with all below'),
      change_kid: Kid.optional().describe('devices that this change reached last'),
    }),
    output: paged(ConfigDrift),
  }),
  retry: write('POST', {
    path: 'retry/terminals/config/policy',
    needs: 'deviceDetailConfig:edit',
    title: text('Send configurations again', 'Gửi lại cấu hình', '重新下发配置'),
    input: z.object(targets).refine(...namedOrMatched),
    output: z.object({ devices: Count }),
    errors: ['device_not_found'],
  }),
  ...appRows(reads),
})
