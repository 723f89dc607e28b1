import { endpoints, limits, osDeltaLimits, stagingLimits } from '@mdm/device-link'
import { format } from 'prettier'
import { sectionTables } from './config-sections.ts'
import { refusalsOf } from './link-schema.ts'
import type { Json, LinkSchema } from './link-schema.ts'

/** Parts of the pages on the device link that are made from the declarations, each between two marks. */
export async function linkParts(schema: LinkSchema): Promise<Record<string, string>> {
  const made = { payloads: payloadTables(schema), endpoints: endpointTables(), limits: limitTable() }
  const tables = await Promise.all(
    Object.entries(made).map(async ([name, markdown]) => [name, await tidy(markdown)] as const),
  )
  return { sections: await tidy(sectionTables()), ...Object.fromEntries(tables) }
}
const tidy = (markdown: string): Promise<string> => format(markdown, { parser: 'markdown', printWidth: 120 })

const marks = (name: string): [string, string] => [`<!-- ${name}: npm run openapi -->`, `<!-- /${name} -->`]

/** The page with its parts as they are now; those of another page are left alone. */
export function withParts(page: string, parts: Record<string, string>): string {
  return Object.entries(parts).reduce((text, [name, made]) => {
    const [begin, end] = marks(name)
    const [from, to] = [text.indexOf(begin), text.indexOf(end)]
    return from < 0 || to < from ? text : `${text.slice(0, from)}${begin}\n\n${made.trim()}\n\n${text.slice(to)}`
  }, page)
}

/** Names of the parts that stand in a page. */
export const partsIn = (page: string): string[] =>
  [...page.matchAll(/^<!-- ([a-z]+): npm run openapi -->$/gm)].map(([, name]) => name!)

const table = (head: string[], rows: string[][]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const limitTable = (): string =>
  table(
    ['limit', 'is'],
    Object.entries({ ...limits, ...prefixed('delta', osDeltaLimits), ...prefixed('staging', stagingLimits) }).map(
      ([name, value]) => [`\`${name}\``, value.toLocaleString('en-US')],
    ),
  )
const prefixed = (prefix: string, of: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(of).map(([name, value]) => [`${prefix}.${name}`, value]))

const endpointTables = (): string =>
  Object.values(endpoints)
    .map(({ method, path, is_signed_in, says, errors }) =>
      [
        `### \`${method} {server}${path}\``,
        `${says[0]!.toUpperCase()}${says.slice(1)}. ${is_signed_in ? 'With `Authorization: Bearer {kid}:{secret}`.' : 'Without a credential.'}`,
        table(
          ['HTTP', 'result', 'is', 'means'],
          refusalsOf(errors).map(({ name, status, result, message }) => [
            `${status}`,
            `${result}`,
            `\`${name}\``,
            message.en.replaceAll('|', '\\|'),
          ]),
        ),
      ].join('\n\n'),
    )
    .join('\n\n')

/** Where something else says what they hold. */
const elsewhere = /^(?:config\/|http\/endpoint\/|code\/|limits)/

const payloadTables = ({ $defs }: LinkSchema): string =>
  Object.entries($defs)
    .filter(([name]) => !elsewhere.test(name))
    .map(([name, json]) => {
      const rows = fieldsOf(json)
      return [
        `### ${name}`,
        rows.length === 0
          ? 'An empty object.'
          : table(
              ['field', 'is', 'means'],
              rows.map(([field, is, means]) => [`\`${field}\``, is, means]),
            ),
      ].join('\n\n')
    })
    .join('\n\n')

type Row = [field: string, is: string, means: string]
/** Each field of a payload with those below it; of a payload of several shapes each field once for each way it looks. */
function fieldsOf(json: Json, above = ''): Row[] {
  const ways = [...(json.allOf ?? []), ...(json.oneOf ?? []), ...(json.anyOf ?? [])].flatMap((one) =>
    fieldsOf(one, above),
  )
  const own = Object.entries(json.properties ?? {}).flatMap(([name, field]): Row[] => {
    const path = `${above}${name}`
    const is_optional = !(json.required ?? []).includes(name)
    const row: Row = [path, `${is_optional ? 'optional, ' : ''}${shapeOf(field)}`, said(field.description ?? '')]
    return [row, ...below(field, path)]
  })
  const rows = [...own, ...ways]
  return rows.filter((row, at) => rows.findIndex((one) => one.join('|') === row.join('|')) === at)
}
const below = (field: Json, path: string): Row[] =>
  field.items ? below(field.items, `${path}[]`) : fieldsOf(field, `${path}.`)

const said = (text: string): string => text.replaceAll('|', '\\|')
const count = (value: number): string => (Math.abs(value) >= 2 ** 53 - 1 ? '' : value.toLocaleString('en-US'))
const code = (value: unknown): string => `\`${String(value).replaceAll('|', '\\|')}\``
function between(min: number | undefined, max: number | undefined, of = ''): string {
  const [from, to] = [min === undefined ? '' : count(min), max === undefined ? '' : count(max)]
  if (from && to) return ` of ${from === to ? from : `${from} to ${to}`}${of}`
  if (to) return ` of at most ${to}${of}`
  return from && from !== '0' ? ` of at least ${from}${of}` : ''
}
function shapeOf(json: Json): string {
  if (json.$ref) return `[its section](#${json.$ref.slice(json.$ref.lastIndexOf('~1') + 2)})`
  if (json.const !== undefined) return code(json.const)
  if (json.enum) return json.enum.map(code).join(', ')
  const ways = json.anyOf ?? json.oneOf
  if (ways) return [...new Set(ways.map(shapeOf))].join(' or ')
  if (json.type === 'array')
    return `list${between(json.minItems, json.maxItems)}: ${json.items ? shapeOf(json.items) : 'anything'}`
  if (json.type === 'string') {
    const shape = json.format ? ` (${json.format})` : json.pattern ? ` like ${code(json.pattern)}` : ''
    return `text${between(json.minLength, json.maxLength)}${shape}`
  }
  if (json.type === 'integer') return `whole number${between(json.minimum, json.maximum)}`
  if (json.type === 'number') return `number${between(json.minimum, json.maximum)}`
  if (json.type === 'boolean') return 'true or false'
  if (json.type === 'null') return 'null'
  if (Array.isArray(json.type)) return json.type.map((type) => shapeOf({ ...json, type: type as string })).join(' or ')
  return json.type === 'object' ? 'object' : 'anything'
}
