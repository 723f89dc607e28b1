import { configCapabilities, deviceSections, sectionOf } from '@mdm/contract/config/sections.ts'
import type { ConfigFields } from '@mdm/contract/config/sections.ts'
import * as z from 'zod'

/** The wire form of every section that devices are told, as the page on the device link has it: made from the declarations. */
export function sectionTables(): string {
  const parts = deviceSections.map((section) => {
    const { title, hint, capability, fields, platform, toWire } = sectionOf(section)
    const rows = rowsOf(fields, toWire && platform !== undefined ? toWire(platform) : undefined)
    return [
      `### \`${section}\``,
      `${title.en}. ${hint.en} It takes ${configCapabilities[capability].en}.`,
      ['| field | is | means |', '| --- | --- | --- |', ...rows].join('\n'),
    ].join('\n\n')
  })
  return parts.join('\n\n')
}

function rowsOf(fields: ConfigFields, wire: unknown, above = ''): string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const is_list = Array.isArray((wire as Record<string, unknown> | undefined)?.[name])
    const kind = is_list ? 'texts' : shapeOf(field.schema, field.kind)
    const notes = [
      field.title.en,
      field.unit && `in ${field.unit}`,
      field.when &&
        `with \`${field.when[0]}\` ${field.when
          .slice(1)
          .map((value) => `\`${String(value)}\``)
          .join(' or ')}`,
      (field.kind === 'secret' || field.kind === 'file') && 'a secret: in the clear on the link, sealed on the server',
    ].filter(Boolean)
    const row = `| \`${above}${name}\` | ${kind} | ${notes.join('; ')} |`
    return field.fields ? [row, ...rowsOf(field.fields, undefined, `${above}${name}[].`)] : [row]
  })
}

type Json = {
  type?: string
  enum?: unknown[]
  const?: unknown
  minimum?: number
  maximum?: number
  anyOf?: Json[]
  items?: Json
}
function shapeOf(schema: z.ZodType, kind: string): string {
  if (kind === 'rows') return 'list of objects'
  if (kind === 'secret') return 'text, empty where there is none'
  if (kind === 'file') return 'base64'
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Json
  return ofJson(json)
}
function ofJson(json: Json): string {
  if (json.enum) return json.enum.map((value) => `\`${String(value)}\``).join(', ')
  if (json.anyOf)
    return json.anyOf.some(({ type }) => type === 'null')
      ? `${ofJson(json.anyOf.find(({ type }) => type !== 'null')!)} or null (no change)`
      : 'text'
  if (json.type === 'array') return json.items?.type === 'string' ? 'texts' : 'numbers'
  if (json.type === 'integer') return `${json.minimum} to ${json.maximum}`
  if (json.type === 'boolean') return 'true or false'
  return 'text'
}
