import { describe, expect, it } from 'vitest'
import { checkContent, checkObject, fileInValue, fileValue, isVersionOf, patternsOf, TemplateJson } from './index.ts'
import { canonicalContent } from './content.ts'

const template = TemplateJson.parse({
  templatejson: 1,
  type: 'network',
  kind: 'standard',
  version: '3.0.3',
  name: 'Test',
  modules: [
    {
      key: 'wifi',
      title: { en: 'Wi-Fi', vi: 'Wi-Fi', 'zh-cn': 'Wi-Fi' },
      max_objects: 2,
      max_items: 4,
      fields: [
        { key: 'ssid', title: 'SSID', kind: 'text', is_required: true, pattern: '[a-z]+', max_length: 8 },
        { key: 'region', title: 'Region', kind: 'text', is_fixed: true, default: 'VN' },
        { key: 'port', title: 'Port', kind: 'number', min: 1, max: 10 },
        { key: 'on', title: 'On', kind: 'toggle' },
        { key: 'band', title: 'Band', kind: 'choice', options: [{ value: '5', title: '5 GHz' }] },
        { key: 'ca', title: 'CA', kind: 'file', max_bytes: 3, extensions: ['pem'] },
      ],
    },
    { key: 'columns', title: 'Columns', custom: { title: 'Column', max: 2, name_pattern: '[A-Za-z ]+' } },
  ],
})
const [wifi, columns] = [template.modules[0]!, template.modules[1]!]
const matches = (pattern: string, value: string) => new RegExp(`^(?:${pattern})$`).test(value)
const ok = { ssid: 'depot', region: 'VN' }

describe('versions', () => {
  it.each([
    ['standard', '3.0.3', true],
    ['standard', '3.0.3.1_ab', false],
    ['standard', '3.0', false],
    ['standard', '03.0.3', false],
    ['custom', '3.0.3.1_ab', true],
    ['custom', '3.0.3.1_', false],
    ['custom', '3.0.3_ab', false],
    ['custom', '3.0.3', false],
    ['custom', '3.0.3.1_a-b', false],
  ] as const)('a %s version %s: %s', (kind, version, is_right) => {
    expect(isVersionOf(kind, version)).toBe(is_right)
  })
})

describe('a content by its template', () => {
  it('has no fault where every rule is kept', () => {
    expect(checkContent(template, { wifi: [ok], columns: [{ 'Batch no': '7' }] }, matches)).toEqual({})
  })

  it.each([
    ['no module at all', {}, { '': 'custom_item_needed' }],
    ['a module without objects', { wifi: [ok], columns: [] }, { columns: 'custom_item_needed' }],
    ['a module that is not of the template', { wifi: [ok], other: [{ a: 1 }] }, { other: 'keys_unknown' }],
    ['too many objects', { wifi: [ok, ok, ok] }, { wifi: 'items_exceeded' }],
    ['an object without parameters', { columns: [{}] }, { 'columns.0': 'parameter_needed' }],
    [
      'more parameters than one object has',
      { columns: [{ a: 'x', b: 'x', c: 'x' }] },
      { 'columns.0': 'items_exceeded' },
    ],
  ])('%s', (_, content, expected) => {
    const faults = checkContent(template, content, matches)
    expect(Object.fromEntries(Object.entries(faults).map(([path, { name }]) => [path, name]))).toEqual(expected)
  })

  it.each([
    [{ region: 'VN' }, 'ssid', 'required'],
    [{ ...ok, ssid: 'DEPOT' }, 'ssid', 'template_pattern'],
    [{ ...ok, ssid: 'abcdefghi' }, 'ssid', 'too_long'],
    [{ ...ok, ssid: 'a\nb' }, 'ssid', 'control_character'],
    [{ ...ok, ssid: 1 }, 'ssid', 'not_text'],
    [{ ...ok, region: 'US' }, 'region', 'default_fixed'],
    [{ ssid: 'depot' }, 'region', 'default_fixed'],
    [{ ...ok, port: 11 }, 'port', 'too_big'],
    [{ ...ok, port: 0 }, 'port', 'too_small'],
    [{ ...ok, port: 1.5 }, 'port', 'not_whole_number'],
    [{ ...ok, on: 'yes' }, 'on', 'not_yes_or_no'],
    [{ ...ok, band: '2' }, 'band', 'not_one_of'],
    [{ ...ok, ca: 'AAAA' }, 'ca', 'not_file'],
    [{ ...ok, ca: fileValue('a.pem', 'AAAAAAAA') }, 'ca', 'bytes_too_many'],
    [{ ...ok, ca: fileValue('a.exe', 'AAAA') }, 'ca', 'file_extension'],
    [{ ...ok, other: 'x' }, 'other', 'keys_unknown'],
  ])('%j is refused at %s: %s', (object, path, name) => {
    expect(checkObject(wifi, object, matches)[path]).toMatchObject({ name })
  })

  it.each([
    [{ '': 'x' }, '', 'column_name'],
    [{ ' ': 'x' }, ' ', 'column_name'],
    [{ Batch: 'x', batch: 'y' }, 'batch', 'parameter_repeated'],
    [{ constructor: 'x' }, 'constructor', 'parameter_name'],
    [{ B7: 'x' }, 'B7', 'template_pattern'],
    [{ Batch: '' }, 'Batch', 'required'],
    [{ Batch: 7 }, 'Batch', 'not_text'],
  ])('the custom parameters %j are refused at "%s": %s', (object, path, name) => {
    expect(checkObject(columns, object, matches)[path]).toMatchObject({ name })
  })

  it('files keep their names and bytes', () => {
    expect(fileInValue(fileValue('Phím số.xml', 'AAA='))).toEqual({ name: 'Phím số.xml', base64: 'AAA=', bytes: 2 })
    expect(fileInValue('data:application/octet-stream;name=%E0;base64,AAAA')).toBeUndefined()
  })

  it('is the same in whatever order it was typed', () => {
    expect(canonicalContent({ a: [{ x: 1, y: 2 }], b: [] })).toBe(canonicalContent({ b: [], a: [{ y: 2, x: 1 }] }))
    expect(canonicalContent({ a: [{ x: 1 }, { x: 2 }] })).not.toBe(canonicalContent({ a: [{ x: 2 }, { x: 1 }] }))
  })

  it('tells where the regular expressions of a template stand', () => {
    expect(patternsOf(template)).toEqual([
      { path: 'modules.0.fields.0.pattern', pattern: '[a-z]+' },
      { path: 'modules.1.custom.name_pattern', pattern: '[A-Za-z ]+' },
    ])
  })
})

describe('a template', () => {
  const json = JSON.parse(JSON.stringify(template)) as { modules: { key: string; fields: object[] }[] }
  const withField = (field: object) => ({ ...json, modules: [{ ...json.modules[0]!, fields: [field] }] })
  it.each([
    ['a fixed field without a default', withField({ key: 'a', title: 'A', kind: 'text', is_fixed: true })],
    [
      'two fields of one key',
      {
        ...json,
        modules: [
          {
            ...json.modules[0],
            fields: [
              { key: 'a', title: 'A', kind: 'toggle' },
              { key: 'A', title: 'A', kind: 'toggle' },
            ],
          },
        ],
      },
    ],
    ['two modules of one key', { ...json, modules: [json.modules[0], json.modules[0]] }],
    ['a module of nothing', { ...json, modules: [{ key: 'a', title: 'A' }] }],
    ['a reserved key', withField({ key: 'constructor', title: 'A', kind: 'toggle' })],
    ['a control character', withField({ key: 'a', title: 'A\u0007', kind: 'toggle' })],
    ['half a character', withField({ key: 'a', title: 'A\ud800', kind: 'toggle' })],
    ['an unknown kind', withField({ key: 'a', title: 'A', kind: 'script' })],
    ['an unknown member', { ...json, script: '' }],
  ])('with %s is refused', (_, file) => {
    expect(TemplateJson.safeParse(file).success).toBe(false)
  })
})
