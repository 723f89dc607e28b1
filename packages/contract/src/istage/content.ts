import * as z from 'zod'
import { wrong } from '../wire.ts'
import { istageLimits, reservedKeys } from './limits.ts'

export type IstageValue = string | number | boolean
/** One object of a module: its parameters, each under the key of its field or under the name that somebody gave it. */
export type IstageObject = Record<string, IstageValue>
/** All that a configuration sets: the objects of each module that it supports. */
export type IstageContent = Record<string, IstageObject[]>

const ParameterName = z
  .string()
  .max(64)
  .refine((name) => !reservedKeys.includes(name), wrong('parameter_name'))
const Value = z.union([z.string().max(2_000_000), z.number(), z.boolean()])
/** The outer shape alone; `checkContent` holds it against a template. */
export const IstageContent: z.ZodType<IstageContent> = z
  .record(z.string().max(40), z.array(z.record(ParameterName, Value)).max(istageLimits.objects))
  .refine(
    (modules) => Object.keys(modules).length <= istageLimits.modules,
    wrong('too_many', { max: istageLimits.modules }),
  )
  .describe('module -> its objects, each parameter -> value')

/** A file in a value: its name and its bytes in one text. */
const file_shape = /^data:application\/octet-stream;name=([A-Za-z0-9%._~!'()*-]{1,2300});base64,([A-Za-z0-9+/]*={0,2})$/
export const fileValue = (name: string, base64: string): string =>
  `data:application/octet-stream;name=${encodeURIComponent(name)};base64,${base64}`
export type IstageFile = { name: string; base64: string; bytes: number }
export function fileInValue(value: unknown): IstageFile | undefined {
  const [, name, base64] = (typeof value === 'string' && file_shape.exec(value)) || []
  if (name === undefined || base64 === undefined || base64.length % 4 !== 0) return undefined
  try {
    const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
    return { name: decodeURIComponent(name), base64, bytes: (base64.length / 4) * 3 - padding }
  } catch {
    return undefined
  }
}

/** The same text for the same content, whatever the order in which it was typed. */
export const canonicalContent = (content: IstageContent): string =>
  JSON.stringify(
    Object.entries(content)
      .toSorted(byKey)
      .map(([key, objects]) => [key, objects.map((object) => Object.entries(object).toSorted(byKey))]),
  )
const byKey = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : a > b ? 1 : 0)
