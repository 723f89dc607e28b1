import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { format } from 'prettier'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { down, limits, requests } from '@mdm/device-link'
import { payloads } from '@mdm/device-link/json-schema.ts'

const here = dirname(fileURLToPath(import.meta.url))
const golden = join(here, '../golden')
const page = readFileSync(join(here, '../../../docs/device-link.md'), 'utf8')

/** The JSON Schema as it is published; what it says is what a stranger's tests hold against the examples. */
const published = JSON.parse(readFileSync(join(here, '../../../docs/device-link.schema.json'), 'utf8')) as {
  $defs: Record<string, z.core.JSONSchema.JSONSchema>
}
const isMessage = (name: string): boolean => !name.startsWith('request/') && name !== 'up/event/usage'
const schemas = Object.fromEntries(Object.entries(payloads).filter(([name]) => isMessage(name)))

/** Every JSON block of the page: its schema's name, and the file that holds it for others. */
const counts = new Map<string, number>()
const examples = [...page.matchAll(/^```json(.*)\n([\s\S]*?)^```$/gm)].map(([, title = '', text = '']) => {
  const name = title.trim()
  const number = (counts.get(name) ?? 0) + 1
  counts.set(name, number)
  return { name, value: JSON.parse(text) as unknown, file: `${name.replace('/', '.')}.${number}.json` }
})

test('every payload has an example, and every example a payload', () => {
  expect(new Set(examples.map(({ name }) => name))).toEqual(new Set(Object.keys(schemas)))
})

test.each(examples)('$file is what the schema says, nothing more', async ({ name, value, file }) => {
  expect(schemas[name]?.parse(value)).toEqual(value)
  await expect(await format(JSON.stringify(value), { parser: 'json', printWidth: 120 })).toMatchFileSnapshot(
    join(golden, file),
  )
})

test.each(examples)('$file is what the published JSON Schema says', ({ name, value }) => {
  const { error } = z.fromJSONSchema(published.$defs[name]!).safeParse(value)
  expect(error?.issues).toBeUndefined()
})

test('the published JSON Schema has every payload and refuses what the schemas refuse', () => {
  expect(Object.keys(published.$defs)).toEqual(Object.keys(payloads))
  const state = z.fromJSONSchema(published.$defs['up/state']!)
  const said = { seq: 1, device_time: '2026-03-01T08:00:00Z', run: { cpu: 100 } }
  expect(state.safeParse(said).success).toBe(true)
  for (const wrong of [
    { ...said, run: { cpu: 101 } },
    { ...said, seq: -1 },
    { ...said, foreground_app: 'x'.repeat(201) },
  ])
    expect(state.safeParse(wrong).success).toBe(false)
})

test('every limit of a text is on the page', () => {
  // A limit that changes has to change there too.
  for (const [name, most] of [
    ['epoch', 64],
    ['host', 255],
    ['resolution', 20],
    ['imei', 40],
  ])
    expect(page).toMatch(new RegExp(`\\b${name}\\b[^|]*\\b${most}\\b`))
  for (const [name, most] of Object.entries(limits))
    expect([name, page.includes(most.toLocaleString('en-US'))]).toEqual([name, true])
})

test('every method of a request is documented, and its examples are what its schema says', () => {
  const documented = [...page.matchAll(/^\| `([a-z_]+)` +\|/gm)].map(([, name]) => name)
  expect(Object.keys(requests).filter((name) => !documented.includes(name))).toEqual([])
  const asked = examples.filter(({ name }) => name === 'down/request').map(({ value }) => down.request.parse(value))
  for (const { method, params } of asked)
    expect(requests[method as keyof typeof requests].params.parse(params)).toEqual(params)
})

test('no golden payload is left from an example that has gone', () => {
  expect(new Set(readdirSync(golden))).toEqual(new Set(examples.map(({ file }) => file)))
})
