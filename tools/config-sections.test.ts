import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { configSectionKeys, configSectionTypes, languages } from '@mdm/contract'
import { deviceSections, holdingSections, mapSecrets, sectionOf } from '@mdm/contract/config/sections.ts'
import type { ConfigFields } from '@mdm/contract/config/sections.ts'
import { expect, test } from 'vitest'

test('the page on brakes names the sections that take hold of devices', async () => {
  const page = await readFile(join(import.meta.dirname, '../docs/brakes.md'), 'utf8')
  const said = page.slice(page.indexOf('Sections that take hold')).match(/`[a-z_]+`/g)!
  const named = said.map((name) => name.slice(1, -1)).filter((name) => configSectionKeys.includes(name as never))
  expect(named.toSorted()).toEqual(holdingSections.toSorted())
})

const allFields = (fields: ConfigFields): [string, ConfigFields[string]][] =>
  Object.entries(fields).flatMap(([name, field]) => [[name, field], ...allFields(field.fields ?? {})])

test.each(configSectionKeys)(
  '%s is named in every language, and its secrets are where they are looked for',
  (section) => {
    const { title, hint, fields, type } = sectionOf(section)
    expect(type).toBe(configSectionTypes[section])
    for (const language of languages) {
      expect(title[language]).not.toBe('')
      expect(hint[language]).not.toBe('')
      for (const [, field] of allFields(fields)) expect(field.title[language]).not.toBe('')
    }
    // What is secret is masked in logs by its name too.
    for (const [name, { kind }] of allFields(fields))
      if (kind === 'secret' || kind === 'file') expect(name).toMatch(/pass|private/)
    expect(mapSecrets(fields, {}, () => 'x')).toEqual({})
  },
)

test('sections that devices are told are fewer than a report may name', () => {
  expect(deviceSections.length).toBeLessThanOrEqual(100)
})
