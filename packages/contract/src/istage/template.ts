import * as z from 'zod'
import { constants } from '../constants.ts'
import { Line, shaped, wrong } from '../wire.ts'
import type { Language } from '../wire.ts'
import { hasControls, istageLimits, isWellFormed, reservedKeys, templatejson_format } from './limits.ts'
import { IstageKindName, IstageType } from './types.ts'

const key_pattern = /^[A-Za-z][A-Za-z0-9_]{0,39}$/
export const TemplateKey = z
  .string()
  .regex(...shaped('template_key', key_pattern))
  .refine((key) => !reservedKeys.includes(key), wrong('template_key'))
  .describe('letters, digits and underscores, beginning with a letter')

const Words = (max: number) => Line(max, 1).refine(isWellFormed, wrong('control_character'))
/** One sentence for everybody, or one for each language; English stands in where one is missing. */
const Localized = (max: number) =>
  z.union([Words(max), z.strictObject({ en: Words(max), vi: Words(max).optional(), 'zh-cn': Words(max).optional() })])
export type Localized = z.output<ReturnType<typeof Localized>>
export const localized = (words: Localized, language: Language): string =>
  typeof words === 'string' ? words : (words[language] ?? words.en)

/** Text that may have several lines, without other control characters. */
const Value = z
  .string()
  .max(istageLimits.text)
  .refine((value) => isWellFormed(value) && !hasControls(value), wrong('control_character'))

const Pattern = z
  .string()
  .min(1)
  .max(istageLimits.pattern)
  .describe(
    'a regular expression in the syntax of RE2, without look-around and back-references; all of the value matches',
  )

const common = {
  key: TemplateKey,
  title: Localized(100),
  hint: Localized(500).optional(),
  is_required: z.boolean().default(false),
  is_fixed: z.boolean().default(false).describe('the default is shown and cannot be changed'),
}
const lengths = {
  min_length: z.number().int().min(0).max(istageLimits.text).default(0),
  max_length: z.number().int().min(1).max(istageLimits.text).default(255),
  pattern: Pattern.optional(),
}

const TextField = z.strictObject({
  ...common,
  kind: z.literal('text'),
  ...lengths,
  is_multiline: z.boolean().default(false),
  default: Value.optional(),
})
const SecretField = z.strictObject({ ...common, kind: z.literal('secret'), ...lengths, default: Value.optional() })
const NumberField = z.strictObject({
  ...common,
  kind: z.literal('number'),
  min: z.number().min(-1e12).max(1e12).default(-1e12),
  max: z.number().min(-1e12).max(1e12).default(1e12),
  is_whole: z.boolean().default(true),
  unit: Words(20).optional(),
  default: z.number().min(-1e12).max(1e12).optional(),
})
const ToggleField = z.strictObject({ ...common, kind: z.literal('toggle'), default: z.boolean().optional() })
const ChoiceField = z.strictObject({
  ...common,
  kind: z.literal('choice'),
  options: z
    .array(z.strictObject({ value: Words(200), title: Localized(100) }))
    .min(1)
    .max(istageLimits.options),
  default: z.string().max(200).optional(),
})
const FileField = z.strictObject({
  ...common,
  kind: z.literal('file'),
  max_bytes: z.number().int().min(1).max(constants.config_file_bytes).default(constants.config_file_bytes),
  extensions: z
    .array(z.string().regex(...shaped('template_key', /^[a-z0-9]{1,10}$/)))
    .max(20)
    .optional(),
})

const isUnique = (keys: readonly string[]): boolean =>
  new Set(keys.map((key) => key.toLowerCase())).size === keys.length

export const TemplateField = z
  .discriminatedUnion('kind', [TextField, SecretField, NumberField, ToggleField, ChoiceField, FileField])
  .refine(
    (field) => (field.kind === 'file' ? !field.is_fixed : !field.is_fixed || field.default !== undefined),
    wrong('template_fixed', undefined, 'default'),
  )
  .refine(
    (field) => !('min_length' in field) || field.min_length <= field.max_length,
    wrong('range_order', undefined, 'max_length'),
  )
  .refine((field) => field.kind !== 'number' || field.min <= field.max, wrong('range_order', undefined, 'max'))
  .refine(
    (field) => field.kind !== 'choice' || isUnique(field.options.map(({ value }) => value)),
    wrong('entry_repeated', undefined, 'options'),
  )
export type TemplateField = z.output<typeof TemplateField>

export const TemplateModule = z
  .strictObject({
    key: TemplateKey,
    title: Localized(100),
    hint: Localized(500).optional(),
    max_objects: z.number().int().min(1).max(istageLimits.objects).default(1),
    max_items: z
      .number()
      .int()
      .min(1)
      .max(istageLimits.parameters)
      .default(istageLimits.parameters)
      .describe('parameters that one object has at most, custom ones included'),
    known_by: TemplateKey.optional().describe('the field that tells one object from another'),
    fields: z.array(TemplateField).max(istageLimits.fields).default([]),
    custom: z
      .strictObject({
        title: Localized(100).describe('what such a parameter is called, for example Column'),
        max: z.number().int().min(1).max(istageLimits.parameters),
        max_length: z.number().int().min(1).max(istageLimits.text).default(255),
        pattern: Pattern.optional(),
        name_pattern: Pattern.optional(),
      })
      .optional()
      .describe('parameters that people name themselves'),
  })
  .refine(
    ({ fields, custom }) => fields.length > 0 || custom !== undefined,
    wrong('template_empty', undefined, 'fields'),
  )
  .refine(({ fields }) => isUnique(fields.map(({ key }) => key)), wrong('parameter_repeated', undefined, 'fields'))
  .refine(
    ({ fields, known_by }) => known_by === undefined || fields.some(({ key }) => key === known_by),
    wrong('template_known_by', undefined, 'known_by'),
  )
export type TemplateModule = z.output<typeof TemplateModule>

/** A file of templatejson. `type` and `version` are looked at apart, since what is wrong with them has names of its own. */
export const TemplateJson = z.strictObject({
  templatejson: z.literal(templatejson_format),
  type: IstageType,
  kind: IstageKindName.describe(
    'standard: three numbers make the version; custom: four numbers, an underscore, letters or digits',
  ),
  version: z.string().max(100),
  name: Words(100),
  description: Localized(500).optional(),
  modules: z
    .array(TemplateModule)
    .min(1)
    .max(istageLimits.modules)
    .refine((modules) => isUnique(modules.map(({ key }) => key)), wrong('entry_repeated')),
})
export type TemplateJson = z.output<typeof TemplateJson>

/** Every regular expression of a template with the place where it stands. */
export function patternsOf({ modules }: TemplateJson): { path: string; pattern: string }[] {
  return modules.flatMap((module, at) => [
    ...module.fields.flatMap((field, of) =>
      'pattern' in field && field.pattern !== undefined
        ? [{ path: `modules.${at}.fields.${of}.pattern`, pattern: field.pattern }]
        : [],
    ),
    ...(['pattern', 'name_pattern'] as const).flatMap((name) => {
      const pattern = module.custom?.[name]
      return pattern === undefined ? [] : [{ path: `modules.${at}.custom.${name}`, pattern }]
    }),
  ])
}
