import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { format } from 'prettier'
import { expect, test } from 'vitest'
import { down, downNames, enrolment, requests, up, upNames } from '@mdm/device-link'
import type * as z from 'zod'

const here = dirname(fileURLToPath(import.meta.url))
const golden = join(here, '../golden')
const page = readFileSync(join(here, '../../../docs/device-link.md'), 'utf8')

const schemas: Record<string, z.ZodType> = {
  announce: enrolment.announce.input,
  announced: enrolment.announce.output,
  enrol: enrolment.enrol.input,
  enrolled: enrolment.enrol.output,
  ...Object.fromEntries(upNames.map((name) => [`up/${name}`, up[name]])),
  ...Object.fromEntries(downNames.map((name) => [`down/${name}`, down[name]])),
}

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
