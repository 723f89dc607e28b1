/** A template that can be imported; `more` is laid over its top, `field` over its one field. */
export const templateFile = (more: object = {}, field: object = {}): Record<string, unknown> => ({
  templatejson: 1,
  type: 'network',
  kind: 'standard',
  version: '1.0.0',
  name: 'Test',
  modules: [
    {
      key: 'wifi',
      title: 'Wi-Fi',
      max_objects: 3,
      max_items: 3,
      known_by: 'ssid',
      fields: [{ key: 'ssid', title: 'SSID', kind: 'text', ...field }],
      custom: { title: 'Column', max: 2 },
    },
  ],
  ...more,
})

const text = (of: unknown): Buffer => Buffer.from(JSON.stringify(of))
const swapped = (bytes: Buffer): Buffer => Buffer.from(bytes).swap16()
const good = JSON.stringify(templateFile())
const module = (key: string) => ({ key, title: key, fields: [{ key: 'a', title: 'A', kind: 'toggle' }] })

/** Files that were made to harm: what it is, the refusal, a part of what is told at a place, and how the file is made. */
export const hostileTemplates: [what: string, refused: string, told: string | null, make: () => Buffer][] = [
  ['an empty file', 'template_not_templatejson', 'file_json', () => Buffer.from(' ')],
  ['a picture', 'template_not_templatejson', 'file_encoding', () => Buffer.from('89504e470d0a1a0a0000000d', 'hex')],
  ['text that is no JSON', 'template_not_templatejson', 'file_json', () => Buffer.from('templatejson')],
  ['JSON that ends early', 'template_not_templatejson', 'file_json', () => Buffer.from(good.slice(0, -3))],
  ['JSON with a comment', 'template_not_templatejson', 'file_json', () => Buffer.from(`/* */${good}`)],
  ['JSON with a comma too many', 'template_not_templatejson', 'file_json', () => Buffer.from(`${good.slice(0, -1)},}`)],
  ['two JSON texts', 'template_not_templatejson', 'file_json', () => Buffer.from(`${good}${good}`)],
  ['a list', 'template_not_templatejson', 'template_format', () => text([templateFile()])],
  ['another JSON', 'template_not_templatejson', 'template_format', () => text({ name: 'package' })],
  ['a later format', 'template_not_templatejson', 'template_format', () => text(templateFile({ templatejson: 2 }))],
  ['a byte order mark', 'template_not_templatejson', 'file_encoding', () => Buffer.from(`\ufeff${good}`)],
  ['UTF-16', 'template_not_templatejson', 'file_encoding', () => Buffer.from(`\ufeff${good}`, 'utf16le')],
  [
    'UTF-16, big endian',
    'template_not_templatejson',
    'file_encoding',
    () => swapped(Buffer.from(`\ufeff${good}`, 'utf16le')),
  ],
  ['UTF-16 without a mark', 'template_not_templatejson', 'file_json', () => Buffer.from(good, 'utf16le')],
  [
    'bytes that are no UTF-8',
    'template_not_templatejson',
    'file_encoding',
    () => Buffer.from(good.replace('Test', 'T\u00e9'), 'latin1'),
  ],
  ['500,000 lists in each other', 'template_not_templatejson', 'too_deep', () => Buffer.from('['.repeat(500_000))],
  [
    'objects in each other',
    'template_not_templatejson',
    'too_deep',
    () => Buffer.from(`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`),
  ],
  [
    '10,000 modules',
    'template_not_templatejson',
    'too_many',
    () => text(templateFile({ modules: Array.from({ length: 10_000 }, (_, at) => module(`m${at}`)) })),
  ],
  ['more than 1 MB', 'file_too_large', null, () => Buffer.alloc(1_048_577, 'a')],
  [
    'a string of almost 1 MB',
    'template_not_templatejson',
    'too_long',
    () => text(templateFile({ name: 'x'.repeat(1_000_000) })),
  ],
  [
    'a key of almost 1 MB',
    'template_not_templatejson',
    'keys_unknown',
    () => text(templateFile({ ['k'.repeat(1_000_000)]: 1 })),
  ],
  [
    'a version of almost 1 MB',
    'template_version_format',
    null,
    () => text(templateFile({ version: '1.'.repeat(500_000) })),
  ],
  [
    'a key twice',
    'template_not_templatejson',
    'key_repeated',
    () => Buffer.from(good.replace('"name"', '"version":"2.0.0","name"')),
  ],
  [
    'a key twice, once escaped',
    'template_not_templatejson',
    'key_repeated',
    () => Buffer.from(good.replace('"name"', '"v\\u0065rsion":"2.0.0","name"')),
  ],
  [
    '__proto__',
    'template_not_templatejson',
    'keys_unknown',
    () => Buffer.from(good.replace('"name"', '"__proto__":{"kind":"custom"},"name"')),
  ],
  [
    '__proto__, escaped',
    'template_not_templatejson',
    'keys_unknown',
    () => Buffer.from(good.replace('"name"', '"\\u005f_proto__":{},"name"')),
  ],
  [
    'a field that is called constructor',
    'template_not_templatejson',
    'template_key',
    () => text(templateFile({}, { key: 'constructor' })),
  ],
  [
    'a field that is called __proto__',
    'template_not_templatejson',
    'template_key',
    () => text(templateFile({}, { key: '__proto__' })),
  ],
  [
    'a control character',
    'template_not_templatejson',
    'control_character',
    () => text(templateFile({ name: 'a\u0000b' })),
  ],
  [
    'a control character as it is',
    'template_not_templatejson',
    'file_json',
    () => Buffer.from(good.replace('Test', 'T\u0001')),
  ],
  ['half a character', 'template_not_templatejson', 'file_json', () => Buffer.from(good.replace('Test', '\\ud800'))],
  [
    'a number beyond all',
    'template_not_templatejson',
    'not_number',
    () =>
      Buffer.from(
        JSON.stringify(templateFile({}, { kind: 'number' })).replace('"kind":"number"', '"kind":"number","max":1e999'),
      ),
  ],
  ['look-around', 'template_regex', 'template_regex', () => text(templateFile({}, { pattern: '(?=a)b' }))],
  ['a back-reference', 'template_regex', 'template_regex', () => text(templateFile({}, { pattern: '(a)\\1' }))],
  [
    'repeats of repeats',
    'template_regex',
    'template_regex',
    () => text(templateFile({}, { pattern: '((a{100}){100}){100}' })),
  ],
  [
    'an expression of many instructions',
    'template_regex',
    'template_regex',
    () => text(templateFile({}, { pattern: '(\\pL{500}){2}[^x]{1,900}' })),
  ],
  [
    'brackets that are never closed',
    'template_regex',
    'template_regex',
    () => text(templateFile({}, { pattern: '('.repeat(200) })),
  ],
  [
    'an expression of 100 KB',
    'template_not_templatejson',
    'too_long',
    () => text(templateFile({}, { pattern: 'a?'.repeat(50_000) })),
  ],
]
