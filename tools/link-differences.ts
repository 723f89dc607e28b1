import type { Json, LinkSchema } from './link-schema.ts'
import { partsIn, withParts } from './link-tables.ts'

export type LinkPages = Record<'joining' | 'working' | 'reference', string>

/** What only one side names: the pages on the device link as people wrote them, and its JSON Schema. */
export function linkDifferences(pages: LinkPages, { $defs }: LinkSchema): string[] {
  const written = Object.values(pages).map(handWritten).join('\n')
  const all = Object.values(pages).join('\n')
  const names = Object.keys($defs)
  const below = (prefix: string) =>
    names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length))
  const endpoints = below('http/endpoint/').map((name) => $defs[`http/endpoint/${name}`]!.properties!)
  return [
    ...differ(
      'message',
      found(written, /`((?:up|down)\/[a-z_]+)`/g),
      names.filter((name) => /^(?:up|down)\/[a-z_]+$/.test(name)),
    ),
    ...differ('event', firstCells(chapter(pages.working, '### up/event')), below('up/event/')),
    ...differ('kind of task', firstCells(tableOf(pages.working, 'type')), kindsOf($defs['down/task'])),
    ...differ(
      'request',
      firstCells(tableOf(pages.working, 'method')),
      below('request/').flatMap((name) => (name.endsWith('/params') ? [name.replace('/params', '')] : [])),
    ),
    ...differ(
      'section',
      found(chapter(all, '## Sections of a configuration'), /^### `([a-z_]+)`$/gm),
      below('config/'),
    ),
    ...differ('code of a failure', firstCells(chapter(pages.reference, '## Codes of failures')), [
      ...textsOf($defs['code/device']),
      ...textsOf($defs['code/server']),
    ]),
    ...differ(
      'endpoint',
      found(chapter(all, '## Endpoints'), /^### `([A-Z]+ \{server\}\/[^`]+)`$/gm),
      endpoints.map(({ method, path }) => `${String(method!.const)} {server}${String(path!.const)}`),
    ),
    ...differ('result of enrolment', resultsIn(pages.joining), resultsOf(['announce', 'enrol'], $defs)),
    ...differ('limit', firstCells(chapter(all, '## Limits')), [
      ...Object.keys($defs['limits']?.properties ?? {}),
      ...['delta', 'staging'].flatMap((part) =>
        Object.keys($defs[`limits/${part}`]?.properties ?? {}).map((name) => `${part}.${name}`),
      ),
    ]),
    ...(['limits', 'limits/delta', 'limits/staging'] as const).flatMap((name) =>
      Object.entries($defs[name]?.properties ?? {})
        .filter(([, limit]) => !all.includes((limit.const as number).toLocaleString('en-US')))
        .map(([limit]) => `${name}.${limit}: no page has its value`),
    ),
  ]
}

const handWritten = (page: string): string =>
  withParts(page, Object.fromEntries(partsIn(page).map((name) => [name, ''])))

function differ(what: string, in_pages: readonly string[], in_schema: readonly string[]): string[] {
  const [pages, schema] = [new Set(in_pages), new Set(in_schema)]
  return [
    ...[...pages].filter((name) => !schema.has(name)).map((name) => `${what} ${name}: only in the pages`),
    ...[...schema].filter((name) => !pages.has(name)).map((name) => `${what} ${name}: only in the schema`),
  ]
}

const found = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name]) => name!)
/** What stands in code in the first column of tables. */
const firstCells = (text: string): string[] => found(text, /^\| `([a-z_.]+)` +\|/gm)
/** From its heading to the next one of the same rank or a higher one. */
function chapter(page: string, heading: string): string {
  const from = page.indexOf(`\n${heading}\n`)
  if (from < 0) return ''
  const rank = heading.indexOf(' ')
  const rest = page.slice(from + heading.length + 1)
  const to = rest.search(new RegExp(`^#{1,${rank}} `, 'm'))
  return to < 0 ? rest : rest.slice(0, to)
}
/** The first table whose first column has this head. */
const tableOf = (page: string, head: string): string =>
  new RegExp(`^\\| ${head} +\\|.*\\n(?:\\|.*\\n)+`, 'm').exec(page)?.[0] ?? ''

const textsOf = (json: Json | undefined): string[] => (json?.enum ?? []).map(String)
const kindsOf = (task: Json | undefined): string[] =>
  (task?.oneOf ?? []).map(({ properties }) => String(properties!['type']!.const))
const resultsIn = (joining: string): string[] =>
  found(tableOf(joining, 'result'), /^\| ([\d, ]+?) +\|/gm).flatMap((numbers) => numbers.split(', '))
const resultsOf = (endpoints: string[], $defs: LinkSchema['$defs']): string[] =>
  endpoints.flatMap((name) =>
    ($defs[`http/endpoint/${name}`]?.properties?.['refusal']?.oneOf ?? []).map(({ properties }) =>
      String(properties!['result']!.const),
    ),
  )
