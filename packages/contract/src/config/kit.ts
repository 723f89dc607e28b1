import * as z from 'zod'
import { Line, shaped, text, wrong } from '../wire.ts'
import type { Text } from '../wire.ts'
import { configOptions } from './names.ts'
import type { configTypes } from './names.ts'

/** Stands for a secret that is set, in every answer. Sent back it means: keep it. */
export const secret_mask = '********'
export const isMask = (value: unknown): boolean => value === secret_mask

/** How a field is shown and typed. `rows` have fields of their own. */
export type ConfigFieldKind =
  'toggle' | 'choice' | 'many' | 'number' | 'line' | 'area' | 'lines' | 'secret' | 'file' | 'rows'
export type ConfigField<S extends z.ZodType = z.ZodType> = {
  kind: ConfigFieldKind
  title: Text
  schema: S
  /** What a new form or row begins with. */
  initial: unknown
  hint?: Text
  /** Of `choice` and `many`, by their value as text. */
  options?: Readonly<Record<string, Text>>
  is_number?: true
  unit?: string
  fields?: ConfigFields
  /** Only where another field of the same object has one of these values; otherwise it means nothing. */
  when?: readonly [field: string, ...values: unknown[]]
  /** Of a secret: it may be kept only while these stay what they are, so that nobody sends it elsewhere. */
  bound_to?: readonly string[]
  /** The server fills it in; what is sent is ignored. */
  is_derived?: true
  /** Of a line: a time, by when something ends. */
  is_end?: true
  placeholder?: string
  /** Of rows: the fields that tell one from another; the first where nothing is said. */
  known_by?: readonly string[]
  /** An app by its package, or several. */
  is_package?: true
  /** A column of the device list, by its key. */
  is_column?: true
  /** Chosen by name rather than typed. */
  is_zone?: true
  is_locale?: true
  /** A completed configuration of iStage, by its kid. */
  is_istage?: true
  /** A maintenance window, by its kid. */
  is_maintenance_window?: true
}
export type ConfigFields = Readonly<Record<string, ConfigField>>

type Say = Partial<
  Pick<
    ConfigField,
    | 'hint'
    | 'unit'
    | 'when'
    | 'placeholder'
    | 'bound_to'
    | 'is_derived'
    | 'is_end'
    | 'known_by'
    | 'is_package'
    | 'is_column'
    | 'is_zone'
    | 'is_locale'
    | 'is_istage'
    | 'is_maintenance_window'
    | 'options'
  >
>
const field = <S extends z.ZodType>(
  kind: ConfigFieldKind,
  title: Text,
  schema: S,
  initial: unknown,
  more: Partial<Omit<ConfigField, 'schema'>> = {},
): ConfigField<S> => ({ kind, title, schema, initial, ...more })

export const toggle = (title: Text, initial = false, say?: Say) => field('toggle', title, z.boolean(), initial, say)

export function choice<const O extends Record<string, Text>>(title: Text, options: O, say?: Say) {
  const names = Object.keys(options) as [keyof O & string, ...(keyof O & string)[]]
  return field('choice', title, z.enum(names), names[0], { options, ...say })
}

/** One of several numbers. */
export const numbered = <const N extends number>(title: Text, options: Record<N, Text>, say?: Say) => {
  const numbers = Object.keys(options).map(Number) as N[]
  return field(
    'choice',
    title,
    z.literal(numbers as [N, ...N[]]),
    numbers.find((one) => one === configOptions.no_change) ?? numbers[0],
    { options: options as Record<string, Text>, is_number: true, ...say },
  )
}

const unchanged = text('No change', 'Giữ nguyên', '不更改')
/** Left as it is on the device, allowed or forbidden. */
export const permit = (title: Text, say?: Say) =>
  choice(
    title,
    {
      no_change: unchanged,
      allowed: text('Allowed', 'Cho phép', '允许'),
      forbidden: text('Forbidden', 'Cấm', '禁止'),
    },
    say,
  )
/** Left as it is on the device, on or off. */
export const power = (title: Text, say?: Say) =>
  choice(title, { no_change: unchanged, on: text('On', 'Bật', '开'), off: text('Off', 'Tắt', '关') }, say)

export const number = (title: Text, min: number, max: number, initial: number, say?: Say) =>
  field('number', title, z.number().int().min(min).max(max), initial, say)
/** Null leaves the device as it is. */
export const maybeNumber = (title: Text, min: number, max: number, say?: Say) =>
  field('number', title, z.number().int().min(min).max(max).nullable(), null, say)

export const line = (title: Text, max: number, min = 0, say?: Say) => field('line', title, Line(max, min), '', say)
/** One line of a shape that is told by `schema`. */
export const shapedLine = <S extends z.ZodType>(title: Text, schema: S, say?: Say) =>
  field('line', title, schema, '', say)
/** Printable ASCII without spaces: neither Chinese characters nor blanks. */
export const Plain = (max: number, min = 0) =>
  z
    .string()
    .min(min)
    .max(max)
    .regex(...shaped('plain_text', /^[\x21-\x7E]*$/))
export const plain = (title: Text, max: number, min = 0, say?: Say) => field('line', title, Plain(max, min), '', say)

export const area = <S extends z.ZodType>(title: Text, schema: S, say?: Say) => field('area', title, schema, '', say)

export const lines = <S extends z.ZodType<string>>(title: Text, entry: S, max: number, say?: Say) =>
  field(
    'lines',
    title,
    z
      .array(entry)
      .max(max)
      .refine((list) => new Set(list).size === list.length, wrong('entry_repeated')),
    [],
    say,
  )

/** Empty where there is none; `schema` tells what one looks like. */
export const secret = (title: Text, schema: z.ZodType<string>, say?: Say) =>
  field('secret', title, z.union([z.literal(['', secret_mask]), schema]), '', say)

/** A small file as base64, sealed as a secret is. */
export const fileOf = (title: Text, max_bytes: number, say?: Say) =>
  field(
    'file',
    title,
    z.union([
      z.literal(secret_mask),
      z
        .string()
        .min(1)
        .max(Math.ceil(max_bytes / 3) * 4)
        .regex(...shaped('base64', /^[A-Za-z0-9+/]+={0,2}$/)),
    ]),
    '',
    say,
  )

/** Several of some values: numbers that options name. */
export const many = <S extends z.ZodType>(title: Text, schema: S, say?: Say) => field('many', title, schema, [], say)

export function rows<const F extends ConfigFields>(
  title: Text,
  max: number,
  fields: F,
  rule: (schema: z.ZodObject<ShapeOf<F>>) => z.ZodType<z.output<z.ZodObject<ShapeOf<F>>>> = (schema) => schema,
  say?: Say,
) {
  return field('rows', title, z.array(rule(z.object(shapeOf(fields)))).max(max), [], { fields, ...say })
}

export type ShapeOf<F extends ConfigFields> = { [K in keyof F]: F[K]['schema'] }
export const shapeOf = <F extends ConfigFields>(fields: F): ShapeOf<F> =>
  Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema])) as ShapeOf<F>

/** What a device has to have in its hands to obey a section, in the words that say why it does not. */
export const configCapabilities = {
  reporting: text('reporting by itself', 'tự báo cáo', '自动上报'),
  browser: text('control of what the network opens', 'kiểm soát truy cập mạng', '网络访问控制'),
  screen: text('control of screen and lock', 'kiểm soát màn hình và khóa', '屏幕与锁屏控制'),
  wifi: text('control of Wi-Fi', 'kiểm soát Wi-Fi', 'Wi-Fi 控制'),
  mobile: text('a mobile modem and control of it', 'modem di động và quyền kiểm soát', '移动网络模块及其控制'),
  system: text('control of system settings', 'kiểm soát cài đặt hệ thống', '系统设置控制'),
  hardware: text('control of ports and sensors', 'kiểm soát cổng và cảm biến', '端口与传感器控制'),
  apps: text('control of apps', 'kiểm soát ứng dụng', '应用控制'),
  certificates: text('a store of certificates', 'kho chứng chỉ', '证书存储'),
  updates: text('control of updates', 'kiểm soát cập nhật', '更新控制'),
  istage: text('a folder for iStage configurations', 'thư mục cho cấu hình iStage', '存放 iStage 配置的文件夹'),
  server: text('moving to another server', 'chuyển sang máy chủ khác', '迁移到其他服务器'),
  console: text('nothing: it is for the console', 'không cần: dành cho bảng điều khiển', '无需：仅用于控制台'),
} as const
export type ConfigCapability = keyof typeof configCapabilities

type Facts<F extends ConfigFields, V extends z.ZodType> = {
  type: (typeof configTypes)[keyof typeof configTypes]
  title: Text
  hint: Text
  capability: ConfigCapability
  fields: F
  value: V
  /** What holds where nothing is set; without one the device is left as it is. */
  platform?: z.output<V>
  /** It can take a device out of people's hands: docs/brakes.md says what stands before that. */
  takes_hold?: true
  /** Read by the console itself, at the start, and never told to devices. */
  is_for_console?: true
  /** As a device is told, where that differs. */
  toWire?: (value: z.output<V>) => unknown
}
export type AnySection = Facts<ConfigFields, z.ZodType>

/** One section. `value` is made of the fields unless a rule over several of them is given. */
export const section = <const F extends ConfigFields, V extends z.ZodType = z.ZodObject<ShapeOf<F>>>(
  facts: Omit<Facts<F, V>, 'value'>,
  rule?: (schema: z.ZodObject<ShapeOf<F>>) => V,
): Facts<F, V> => {
  const schema = z.object(shapeOf(facts.fields))
  return { ...facts, value: rule ? rule(schema) : (schema as unknown as V) }
}

/** What a form of these fields begins with. */
export const initialOf = (fields: ConfigFields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, { initial }]) => [name, initial]))

/** Whether the field means anything beside the others. */
export const isMeant = ({ when }: ConfigField, beside: Readonly<Record<string, unknown>>): boolean =>
  when === undefined || when.slice(1).includes(beside[when[0]])

/** The same value with each secret replaced by what `replace` answers for it; `path` tells them apart. */
export function mapSecrets(
  fields: ConfigFields,
  value: unknown,
  replace: (secret: unknown, path: string, of: ConfigField, beside: Record<string, unknown>) => unknown,
  path = '',
): unknown {
  if (typeof value !== 'object' || value === null) return value
  const beside = value as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(beside).map(([name, one]) => {
      const of = fields[name]
      if (!of) return [name, one]
      if (of.kind === 'secret' || of.kind === 'file') return [name, replace(one, `${path}${name}`, of, beside)]
      if (of.kind === 'rows' && Array.isArray(one))
        return [name, one.map((row, at) => mapSecrets(of.fields ?? {}, row, replace, `${path}${name}.${at}.`))]
      return [name, one]
    }),
  )
}
