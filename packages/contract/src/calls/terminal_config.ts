import * as z from 'zod'
import { constants } from '../constants.ts'
import { group, read, write } from '../kit.ts'
import { Count, Done, Instant, Kid, QueryInt, text, shaped, wrong } from '../wire.ts'

/** Kinds of configuration and the levels they are set at, by the numbers the specification gives them. */
export const configTypes = { os: 1, event: 2, fence: 3, self_defined_list: 99, istage: 101 } as const
export const ltscopes = { platform: 10, account: 20, group: 30, terminal: 40 } as const
export type LevelName = keyof typeof ltscopes
export const levelNames = Object.keys(ltscopes) as LevelName[]
export type Ltscope = (typeof ltscopes)[LevelName]

const { min, max } = constants.collection.variation
const Variation = z.number().int().min(min).max(max)

/** What a device reports by itself, and after which change. */
export const Collection = z.object({
  is_battery_on: z.boolean(),
  battery_percent: Variation,
  is_wifi_on: z.boolean(),
  wifi_dbm: Variation,
  is_mobile_on: z.boolean(),
  mobile_dbm: Variation,
  is_timed_on: z.boolean().describe('everything at once, at intervals'),
  every_hours: z.number().int().min(1).max(168),
  is_location_on: z.boolean(),
  location_metres: z.number().int().min(1).max(100_000),
  location_hours: z.number().int().min(1).max(720),
  is_usage_on: z.boolean().describe('bytes by day and app'),
})
export type Collection = z.output<typeof Collection>

/** The policy in effect for a device, as lists have it. */
export const UploadRoles = z
  .object({
    battery_percent: Variation.nullable(),
    wifi_dbm: Variation.nullable(),
    mobile_dbm: Variation.nullable(),
    every_hours: Collection.shape.every_hours.nullable(),
    location_metres: Collection.shape.location_metres.nullable(),
    location_hours: Collection.shape.location_hours.nullable(),
    is_usage_on: Collection.shape.is_usage_on,
    source: z.enum(levelNames).describe('level that it comes from'),
    group: z
      .object({ kid: Kid, name: z.string() })
      .nullable()
      .describe('that it comes from; also null where who asks cannot see that group'),
  })
  .describe('what the device reports by itself; null is off')
export type UploadRoles = z.output<typeof UploadRoles>

const url_limits = { entries: 500, text: 20_000 } as const
const url_entry =
  /^(?:https?:\/\/)?(?:\*\.)?[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*(?::\d{1,5})?(?:[/?#][^\s,\p{Cc}]*)?$/iu
/** The entries of a comma-separated list, without what is there twice. */
export const urlsOf = (list: string): string[] => [
  ...new Set(
    list
      .split(',')
      .map((entry) => entry.trim())
      .filter(Boolean),
  ),
]
/** The entries that are no URL: a host, with `*.` for all below it, and what may stand around one. */
export const wrongUrls = (list: string): string[] => urlsOf(list).filter((entry) => !url_entry.test(entry))

const UrlList = z
  .string()
  .max(url_limits.text)
  .refine((list) => urlsOf(list).length <= url_limits.entries, wrong('too_many', { max: url_limits.entries }))
  .refine((list) => wrongUrls(list).length === 0, wrong('url_entry'))
  .transform((list) => urlsOf(list).join(', '))
  .describe('URLs, separated by commas')
export const UrlLists = z
  .object({ whitelist: UrlList, blacklist: UrlList })
  .refine(
    ({ whitelist, blacklist }) => commonUrls(whitelist, blacklist).length === 0,
    wrong('url_in_both', undefined, 'blacklist'),
  )
export type UrlLists = z.output<typeof UrlLists>
export const commonUrls = (whitelist: string, blacklist: string): string[] => {
  const allowed = new Set(urlsOf(whitelist))
  return urlsOf(blacklist).filter((entry) => allowed.has(entry))
}

/** Sections of a configuration: each comes whole from the level nearest to the device at which it is set. */
export const configSections = {
  collection: { type: configTypes.event, value: Collection },
  url_lists: { type: configTypes.self_defined_list, value: UrlLists },
} as const
export type ConfigSection = keyof typeof configSections
export const configSectionKeys = Object.keys(configSections) as ConfigSection[]
export type ConfigValues = { collection: Collection; url_lists: UrlLists }

const { collection } = constants
/** What holds where nothing is set. */
export const platformConfig: ConfigValues = {
  collection: {
    is_battery_on: true,
    battery_percent: collection.battery_percent,
    is_wifi_on: true,
    wifi_dbm: collection.wifi,
    is_mobile_on: true,
    mobile_dbm: collection.mobile,
    is_timed_on: true,
    every_hours: collection.every_hours,
    is_location_on: true,
    location_metres: collection.location_metres,
    location_hours: collection.location_hours,
    is_usage_on: true,
  },
  url_lists: { whitelist: '', blacklist: '' },
}

const settable: readonly number[] = [ltscopes.account, ltscopes.group, ltscopes.terminal]
const place = {
  ltscope: QueryInt.refine((level) => settable.includes(level), wrong('not_one_of', { values: settable.join(', ') })),
  terminal_group_kid: Kid.optional().describe('with ltscope 30'),
  terminal_kid: Kid.optional().describe('with ltscope 40'),
}
type Place = { ltscope: number; terminal_group_kid?: string | undefined; terminal_kid?: string | undefined }
const isPlace = ({ ltscope, terminal_group_kid, terminal_kid }: Place) =>
  (ltscope === ltscopes.group) === (terminal_group_kid !== undefined) &&
  (ltscope === ltscopes.terminal) === (terminal_kid !== undefined)
const place_wrong = wrong('config_place', undefined, 'ltscope')

const Level = z.object({
  ltscope: z.number().int(),
  kid: Kid.nullable().describe('of the group or device'),
  name: z.string().nullable(),
})
const setting = <V extends z.ZodType>(value: V) => z.object({ value, updated_at: Instant, updated_by: z.string() })
const effective = <V extends z.ZodType>(value: V) =>
  z.object({
    type: z.number().int(),
    value,
    source: Level.describe('where the value comes from'),
    levels: z
      .array(Level.extend({ own: setting(value).nullable().describe('null where nothing is set') }))
      .describe('from the platform down'),
  })
const as_output = <V extends z.ZodType<unknown, unknown>>(schema: V) =>
  schema as unknown as z.ZodType<z.output<V>, z.output<V>>
const values = { collection: Collection, url_lists: as_output(UrlLists) }

/** What saving or resetting takes in addition, for the account and its groups. */
export const config_group_permission = 'deviceDetailConfig:group'

export const terminalConfig = group('terminal_config', text('Configuration', 'Cấu hình', '配置'), {
  get: read('GET', {
    needs: 'deviceDetailConfig',
    title: text('Read what is set at a level', 'Đọc thiết lập của một cấp', '读取某一级的配置'),
    input: z.object(place).refine(isPlace, place_wrong),
    output: z.object({
      collection: setting(values.collection).nullable(),
      url_lists: setting(values.url_lists).nullable(),
    }),
  }),
  current_config: read('GET', {
    path: 'get/current_config',
    needs: 'deviceDetailConfig',
    title: text('Read the configuration in effect', 'Đọc cấu hình đang có hiệu lực', '读取生效的配置'),
    input: z
      .object({
        ...place,
        types: z
          .string()
          .regex(...shaped('numbers_by_commas', /^\d{1,3}(?:,\d{1,3})*$/))
          .optional()
          .describe('kinds of configuration, separated by commas; all when absent'),
      })
      .refine(isPlace, place_wrong),
    output: z.object({
      collection: effective(values.collection).optional(),
      url_lists: effective(values.url_lists).optional(),
      delivery: z
        .object({
          version_wanted: Count.nullable().describe('null while it is being worked out'),
          version_held: Count.nullable().describe('null until the device has said it'),
          is_waiting: z.boolean().describe('the device has not confirmed the newest configuration yet'),
          sent_at: Instant.nullable(),
        })
        .nullable()
        .describe('of a device'),
    }),
  }),
  save: write('POST', {
    needs: 'deviceDetailConfig:edit',
    title: text('Change a configuration', 'Thay đổi cấu hình', '修改配置'),
    input: z
      .object({ ...place, collection: Collection.optional(), url_lists: UrlLists.optional() })
      .refine(isPlace, place_wrong)
      .refine(
        (input) => configSectionKeys.some((key) => input[key] !== undefined),
        wrong('nothing_to_save', undefined, 'collection'),
      ),
    output: Done,
  }),
  reset: write('POST', {
    needs: 'deviceDetailConfig:edit',
    title: text('Reset a configuration', 'Đặt lại cấu hình', '重置配置'),
    input: z
      .object({
        ...place,
        sections: z.array(z.enum(configSectionKeys)).min(1).optional().describe('all when absent'),
      })
      .refine(isPlace, place_wrong),
    output: z.object({ reset: Count.describe('sections that were set there') }),
  }),
})
