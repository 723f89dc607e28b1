import { TemplateJson } from '@mdm/contract/istage/index.ts'
import { expect, test } from 'vitest'
import { matches } from './matches.ts'
import { contentOf, editedModules, emptyDraft, faultsOf, newObject, stepOf } from './draft.ts'
import type { Draft } from './draft.ts'

const template = TemplateJson.parse({
  templatejson: 1,
  type: 'network',
  kind: 'standard',
  version: '1.0.0',
  name: 'Test',
  modules: [
    {
      key: 'wifi',
      title: 'Wi-Fi',
      max_objects: 2,
      fields: [
        { key: 'ssid', title: 'SSID', kind: 'text', is_required: true, pattern: '(a+)+' },
        { key: 'hidden', title: 'Hidden', kind: 'toggle' },
        { key: 'region', title: 'Region', kind: 'text', is_fixed: true, default: 'VN' },
      ],
      custom: { title: 'Column', max: 3 },
    },
  ],
})
const wifi = template.modules[0]!
const of = (...own: [name: string, value: string][]): Draft => ({
  ...emptyDraft,
  modules: {
    wifi: [
      {
        id: 1,
        values: { ssid: 'aa', hidden: false, region: 'VN' },
        own: own.map(([name, value], id) => ({ id, name, value })),
      },
    ],
  },
})
const names = (draft: Draft) =>
  Object.fromEntries(Object.entries(faultsOf(draft, template, matches)).map(([path, { name }]) => [path, name]))

test('a new object has its defaults, and switches that are off', () => {
  expect(newObject(wifi)).toMatchObject({ values: { hidden: false, region: 'VN' }, own: [] })
})

test('a content is edited and sent as it was', () => {
  const content = { wifi: [{ ssid: 'a', hidden: true, region: 'VN', Batch: '7' }] }
  const draft = { ...emptyDraft, modules: editedModules(template, content) }
  expect(draft.modules['wifi']![0]!.own).toMatchObject([{ name: 'Batch', value: '7' }])
  expect(contentOf(draft, template)).toEqual(content)
  expect(editedModules(template, { gone: [{ a: 1 }] })).toEqual({})
})

test('what is empty or has no name is left out', () => {
  const draft = of([' ', 'x'], [' Batch ', '1'])
  draft.modules['wifi']![0]!.values['ssid'] = ''
  expect(contentOf(draft, template)).toEqual({ wifi: [{ hidden: false, region: 'VN', Batch: '1' }] })
})

test('a column needs its name, which no other has, and a value', () => {
  expect(names(of(['Batch', '1']))).toEqual({})
  expect(names(of(['', '1']))).toEqual({ 'wifi.0.own.0.name': 'column_name' })
  expect(names(of(['Batch', '1'], ['batch', '2']))).toMatchObject({ 'wifi.0.own.1.name': 'parameter_repeated' })
  expect(names(of(['SSID', '1']))).toMatchObject({ 'wifi.0.own.0.name': 'parameter_repeated' })
  expect(names(of(['Batch', '']))).toMatchObject({ 'wifi.0.own.0.value': 'required' })
})

test('an expression that would backtrack for ever answers at once', () => {
  const draft = of()
  draft.modules['wifi']![0]!.values['ssid'] = `${'a'.repeat(200)}!`
  const begun = performance.now()
  expect(names(draft)).toEqual({ 'wifi.0.ssid': 'template_pattern' })
  expect(performance.now() - begun).toBeLessThan(500)
})

test('an address opens no step before what comes before it is there', () => {
  const named = { ...emptyDraft, name: 'A', template_kid: 'k' }
  expect(stepOf('parameters', emptyDraft, false)).toBe('basics')
  expect(stepOf('parameters', named, false)).toBe('modules')
  expect(stepOf('finish', { ...of(), name: 'A', template_kid: 'k' }, false)).toBe('parameters')
  expect(stepOf('finish', { ...of(), name: 'A', template_kid: 'k' }, true)).toBe('finish')
  expect(stepOf('nonsense', named, false)).toBe('basics')
})
