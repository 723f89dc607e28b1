import * as z from 'zod'
import { configSectionKeys, sectionSchema } from '../config/names.ts'
import type { ConfigSection } from '../config/names.ts'
import type { configSections, ConfigValues } from '../config/sections.ts'
import { read } from '../kit.ts'
import type { Permission } from '../permissions.ts'
import { Instant, JsonValue, Kid, Search, shaped, text, wrong } from '../wire.ts'
import { AppPackage } from './app_package.ts'
import { AppSetting } from './app_setting.ts'

export const ConfigLevel = z.object({
  ltscope: z.number().int(),
  kid: Kid.nullable().describe('of the group, profile or device'),
  name: z.string().nullable(),
})
export type ConfigLevel = z.output<typeof ConfigLevel>
const value = JsonValue.describe('as `save` takes it; secrets that are set are the mask')
export const ConfigSetting = z.object({ value, updated_at: Instant, updated_by: z.string() })
/** How a device stands to one section: what it said of the version that it holds, or what can be told without its word. */
export const configOutcomes = ['not_connected', 'waiting', 'applied', 'failed', 'not_supported', 'not_said'] as const
export type ConfigOutcome = (typeof configOutcomes)[number]
/**
 * How a device stands to its configuration as a whole: it never connected, it has not confirmed the newest version, it holds it
 * and has not said what became of all sections, it obeys all of them, or not all.
 */
export const configDeliveries = ['not_connected', 'waiting', 'received', 'applied', 'failed'] as const
export type ConfigDelivery = (typeof configDeliveries)[number]
/** Why a device does not obey a section. Agents say one of the first; the last three are the server's. */
export const configReasons = [
  'unknown_section',
  'no_command',
  'no_root',
  'no_hardware',
  'command_failed',
  'out_of_range',
  'test_failed',
  'not_announced',
  'offline',
  'held',
] as const
export type ConfigReason = (typeof configReasons)[number]
export const ConfigResult = z.object({
  outcome: z.enum(configOutcomes),
  reason: z.enum(configReasons).nullable(),
  message: z.string().nullable().describe('in the words of the device'),
})
export const EffectiveSection = z.object({
  type: z.number().int(),
  value: value.nullable().describe('null: the device is left as it is'),
  source: ConfigLevel.describe('where the value comes from'),
  levels: z
    .array(ConfigLevel.extend({ own: ConfigSetting.nullable().describe('null where nothing is set') }))
    .describe('from the platform down'),
  result: ConfigResult.nullable().describe('of a device, where the section is told to devices and set'),
})
type Typed<O, V> = O extends { value: unknown } ? Omit<O, 'value'> & { value: V } : never
type Setting<S extends ConfigSection> = Typed<z.output<typeof ConfigSetting>, ConfigValues[S]>
type EffectiveOf<S extends ConfigSection> = Omit<z.output<typeof EffectiveSection>, 'value' | 'levels'> & {
  value: ConfigValues[S] | null
  levels: (ConfigLevel & { own: Setting<S> | null })[]
}
/** A schema for each section under its name. What a section holds is not checked on the way out. */
export const bySection = <T extends Record<ConfigSection, z.ZodType>>(schema: z.ZodType): T =>
  Object.fromEntries(configSectionKeys.map((key) => [key, schema])) as T
export type Settings = { [S in ConfigSection]: z.ZodType<Setting<S> | null, Setting<S> | null> }
export type Effectives = { [S in ConfigSection]: z.ZodOptional<z.ZodType<EffectiveOf<S>, EffectiveOf<S>>> }
/** What is set at one level. */
export const ConfigSettings = z.object(bySection<Settings>(ConfigSetting.nullable()))
/** What holds, and where it comes from; of the kinds that were asked for. */
export const effectives = bySection<Effectives>(EffectiveSection.optional())
type Inputs = { [S in ConfigSection]: z.ZodOptional<(typeof configSections)[S]['value']> }
export const sectionInputs = Object.fromEntries(
  configSectionKeys.map((key) => [key, sectionSchema(key).optional()]),
) as Inputs
export const Sections = z
  .array(z.enum(configSectionKeys as [ConfigSection, ...ConfigSection[]]))
  .min(1)
  .max(configSectionKeys.length)
type Given = Partial<Record<ConfigSection, unknown>>
const isGiven = (input: Given): boolean => configSectionKeys.some((key) => input[key] !== undefined)
export const nothing_given = wrong('nothing_to_save', undefined, 'collection')

/** What one save makes of sections: all that is given, and all that is reset, is one version of its kind. */
export const savedSections = {
  ...sectionInputs,
  resets: Sections.optional().describe('sections that are reset with it'),
}
type Saved = Given & { resets?: string[] | undefined }
export const isSaved = (input: Saved): boolean => isGiven(input) || input.resets !== undefined
/** No section is both given and reset. */
export const isOneOf = (input: Saved): boolean =>
  !(input.resets ?? []).some((section) => input[section as ConfigSection] !== undefined)
export const given_twice = wrong('entry_repeated', undefined, 'resets')

/** What somebody is about to do. */
export const intended = {
  ...savedSections,
  change_kid: Kid.optional().describe('to go back to the version that this change made'),
}
export const isIntended = (input: Saved & { change_kid?: unknown }): boolean =>
  isSaved(input) || input.change_kid !== undefined

export const types = z
  .string()
  .regex(...shaped('numbers_by_commas', /^\d{1,3}(?:,\d{1,3})*$/))
  .optional()
  .describe('kinds of configuration, separated by commas; all when absent')

export const OfferedApp = z.object({
  kid: Kid,
  package: z.string(),
  name: z.string(),
  version_name: z.string(),
  icon_url: z.string().nullable().describe('signed, one hour'),
  has_settings: z.boolean().describe('whether it says what can be set of it'),
})
export type OfferedApp = z.output<typeof OfferedApp>
/** Apps that devices are given, for whoever configures those: the account's, or the provider's. */
export const appRows = (needs: Permission | readonly Permission[]) => ({
  list_app: read('POST', {
    needs,
    title: text('List apps to configure', 'Danh sách ứng dụng để cấu hình', '可配置的应用列表'),
    input: z.object({
      text: Search.describe('part of name or package'),
      packages: z.array(AppPackage).max(200).optional().describe('only these'),
    }),
    output: z.array(OfferedApp).describe('at most 50, by name'),
  }),
  app_settings: read('GET', {
    needs,
    title: text('Read what can be set of an app', 'Đọc các thiết lập của ứng dụng', '读取应用的可配置项'),
    input: z.object({ package: AppPackage }),
    output: z.array(AppSetting).describe('as the offered version says; empty where it says nothing'),
  }),
})
