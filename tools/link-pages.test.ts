import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { endpoints } from '@mdm/device-link'
import { deviceSections, platformConfig, sectionOf } from '@mdm/contract/config/sections.ts'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { read, sources } from './files.ts'
import { linkDifferences } from './link-differences.ts'
import type { LinkPages } from './link-differences.ts'
import { linkSchema } from './link-schema.ts'
import type { LinkSchema } from './link-schema.ts'
import { linkParts, partsIn, withParts } from './link-tables.ts'

const docs = join(import.meta.dirname, '../docs')
const pageOf = (name: string) => readFileSync(join(docs, `device-link/${name}.md`), 'utf8')
const pages: LinkPages = { joining: pageOf('joining'), working: pageOf('working'), reference: pageOf('reference') }
const published = JSON.parse(readFileSync(join(docs, 'device-link.schema.json'), 'utf8')) as LinkSchema

test('the published schema and the parts of the pages are what is declared', async () => {
  const schema = linkSchema()
  expect(published).toEqual(JSON.parse(JSON.stringify(schema)))
  const parts = await linkParts(schema)
  expect(Object.values(pages).flatMap(partsIn).toSorted()).toEqual(Object.keys(parts).toSorted())
  for (const page of Object.values(pages)) expect(withParts(page, parts)).toBe(page)
})

test('pages and schema name the same', () => {
  expect(linkDifferences(pages, published)).toEqual([])
})

/** One name each, taken from one side alone. */
const named: [what: string, inPages: RegExp, inSchema: string][] = [
  ['message down/refused', /`down\/refused`/g, 'down/refused'],
  ['event fence_out', /^\| `fence_out` .*\n/gm, 'up/event/fence_out'],
  ['request log_send', /^\| `log_send` .*\n/gm, 'request/log_send/params'],
  ['section wifi_profiles', /^### `wifi_profiles`$/gm, 'config/wifi_profiles'],
  ['endpoint PUT {server}/device/slot/{kid}', /^### `PUT .*slot.*$/gm, 'http/endpoint/slot'],
  ['code of a failure rolled_back', /^\| `rolled_back` .*\n/gm, 'code/device'],
  ['code of a failure deadline', /^\| `deadline` .*\n/gm, 'code/server'],
  ['result of enrolment 40025', /^\| 40025 .*\n/gm, 'http/endpoint/enrol'],
  ['limit packet_bytes', /^\| `packet_bytes` .*\n/gm, 'limits'],
  ['limit delta.files', /^\| `delta.files` .*\n/gm, 'limits/delta'],
  ['kind of task screenshot', /^\| `screenshot` .*\n/gm, 'down/task'],
]
describe.each(named)('%s', (what, inPages, inSchema) => {
  test('is missed in the pages', () => {
    const left = Object.entries(pages).map(([name, page]) => [name, page.replaceAll(inPages, '')])
    const without = Object.fromEntries(left) as LinkPages
    expect(linkDifferences(without, published)).toContain(`${what}: only in the schema`)
  })
  test('is missed in the schema', () => {
    const { [inSchema]: _, ...$defs } = published.$defs
    expect(linkDifferences(pages, { $defs })).toContain(`${what}: only in the pages`)
  })
})

test('a limit whose value changes is missed', () => {
  const $defs = structuredClone(published.$defs)
  $defs['limits']!.properties!['packet_bytes']!.const = 131_313
  expect(linkDifferences(pages, { $defs })).toEqual(['limits.packet_bytes: no page has its value'])
})

test('the endpoints are those that the server has for devices', () => {
  const route = /\.(get|post|put)\('(\/device\/[^']+)'/g
  const served = sources
    .filter((path) => path.startsWith('apps/server/src/') && !/\/testing\/|\.test\.ts$/.test(path))
    .flatMap((path) => [...read(path).matchAll(route)].map(([, method, at]) => `${method!.toUpperCase()} ${at}`))
  const declared = Object.values(endpoints).map(({ method, path }) => `${method} ${path.replace('{kid}', ':kid')}`)
  expect(served.toSorted()).toEqual(declared.filter((one) => !one.includes('/files/{object}')).toSorted())
})

test('every section holds what a device is told of it, secrets in the clear', () => {
  expect(deviceSections).toHaveLength(24)
  const schemaOf = (section: string) =>
    z.fromJSONSchema(published.$defs[`config/${section}`] as z.core.JSONSchema.JSONSchema)
  for (const section of deviceSections) {
    const platform = platformConfig[section as keyof typeof platformConfig]
    const { toWire } = sectionOf(section)
    if (platform === undefined) continue
    expect(schemaOf(section).safeParse(toWire ? toWire(platform) : platform).error).toBeUndefined()
  }
  expect(schemaOf('screen_lock').safeParse({ password: '4711' }).success).toBe(true)
  // The mask is what people read in place of a secret, and nothing that a device is ever told.
  expect(schemaOf('screen_lock').safeParse({ password: '********' }).success).toBe(false)
  expect(JSON.stringify(published)).not.toContain('********')
})

/** As GitHub makes them. */
const anchorsOf = (page: string): Set<string> => {
  const seen = new Map<string, number>()
  return new Set(
    [...page.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => {
      const plain = heading!
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-')
      const times = seen.get(plain) ?? 0
      seen.set(plain, times + 1)
      return times === 0 ? plain : `${plain}-${times}`
    }),
  )
}
test.each(Object.entries(pages))('what %s leads to is there', (name, page) => {
  const links = [...page.matchAll(/\]\(([^)\s]*)#([^)]+)\)/g)]
  const missing = links.filter(([, file, anchor]) => {
    const at = file === '' ? page : pages[file!.replace('.md', '') as keyof LinkPages]
    return !anchorsOf(at ?? '').has(anchor!)
  })
  expect(missing.map(([link]) => `${name}: ${link}`)).toEqual([])
})
