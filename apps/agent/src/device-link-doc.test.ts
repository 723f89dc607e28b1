import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { format } from 'prettier'
import { expect, test } from 'vitest'
import { down, events, requests } from '@mdm/device-link'
import type { Up } from '@mdm/device-link'
import { messages, payloads } from '@mdm/device-link/json-schema.ts'
import { published, publishedSchema } from './testing/published-schema.ts'

const here = dirname(fileURLToPath(import.meta.url))
const golden = join(here, '../golden')
const docs = join(here, '../../../docs')
const page = ['joining', 'working', 'reference']
  .map((name) => readFileSync(join(docs, `device-link/${name}.md`), 'utf8'))
  .join('\n')

/** Every JSON block of the page: its schema's name, and the file that holds it for others. */
const counts = new Map<string, number>()
const examples = [...page.matchAll(/^```json(.*)\n([\s\S]*?)^```$/gm)].map(([, title = '', text = '']) => {
  const name = title.trim()
  const number = (counts.get(name) ?? 0) + 1
  counts.set(name, number)
  return { name, value: JSON.parse(text) as unknown, file: `${name.replace('/', '.')}.${number}.json` }
})

test('every message has an example, and every example a message', () => {
  expect(new Set(examples.map(({ name }) => name))).toEqual(new Set(Object.keys(messages)))
})

test.each(examples)('$file is what the schema says, nothing more', async ({ name, value, file }) => {
  expect(messages[name]?.parse(value)).toEqual(value)
  await expect(await format(JSON.stringify(value), { parser: 'json', printWidth: 120 })).toMatchFileSnapshot(
    join(golden, file),
  )
})

test.each(examples)('$file is what the published JSON Schema says', ({ name, value }) => {
  const { error } = publishedSchema(name).safeParse(value)
  expect(error?.issues).toBeUndefined()
})

test('the published JSON Schema has every payload and refuses what the schemas refuse', () => {
  // The others are of the contract, and are held against it there.
  const own = Object.keys(published).filter((name) => !/^(?:config|http\/endpoint)\//.test(name))
  expect(own).toEqual(Object.keys(payloads))
  const state = publishedSchema('up/state')
  const said = { seq: 1, device_time: '2026-03-01T08:00:00Z', run: { cpu: 100 } }
  expect(state.safeParse(said).success).toBe(true)
  for (const wrong of [
    { ...said, run: { cpu: 101 } },
    { ...said, seq: -1 },
    { ...said, foreground_app: 'x'.repeat(201) },
  ])
    expect(state.safeParse(wrong).success).toBe(false)
})

test('the detail of each known event in an example is what its schema says', () => {
  const known = examples
    .filter(({ name }) => name === 'up/event')
    .flatMap(({ value }) => (value as Up['event']).events)
    .filter(({ type }) => Object.hasOwn(events, type))
  expect(known.length).toBeGreaterThan(0)
  for (const { type, detail } of known) expect(events[type as keyof typeof events].parse(detail)).toEqual(detail)
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
