import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { istageTypeNames } from '@mdm/contract'
import { readTemplate } from '@mdm/server/modules/configuration/istage/index.ts'
import { expect, it } from 'vitest'
import { templateSchema } from './template-schema.ts'

const docs = join(import.meta.dirname, '../docs')
const examples = join(docs, 'templatejson')

it('the published JSON Schema of templatejson is what the contract says', () => {
  expect(JSON.parse(readFileSync(join(docs, 'templatejson.schema.json'), 'utf8'))).toEqual(
    JSON.parse(JSON.stringify(templateSchema())),
  )
})

it.each(readdirSync(examples))('the example %s can be imported as it is', (name) => {
  const bytes = readFileSync(join(examples, name))
  expect(readTemplate(bytes)).toMatchObject(JSON.parse(bytes.toString('utf8')) as object)
})

it('the page names every example, type and kind of field', () => {
  const page = readFileSync(join(docs, 'templatejson.md'), 'utf8')
  const kinds = ['text', 'secret', 'number', 'toggle', 'choice', 'file']
  for (const name of [...istageTypeNames, ...kinds]) expect(page).toContain(`\`${name}\``)
  for (const name of readdirSync(examples)) expect(page).toContain(`(templatejson/${name})`)
})
