import { expect, test } from 'vitest'
import { catalogueOf } from './catalogue-name.ts'
import type { Texts } from './resources.ts'

const files = Object.entries(import.meta.glob<{ texts: Texts }>('../**/texts/{en,vi,zh-cn}.ts', { eager: true })).map(
  ([path, { texts }]) => ({ ...catalogueOf(path), texts }),
)
const catalogue = (language: string, name: string) =>
  files.find((file) => file.language === language && file.namespace === name)?.texts
const namesIn = (language: string) =>
  files.filter((file) => file.language === language).map(({ namespace }): string => namespace)
const names = namesIn('en')

function flat(texts: Texts, at = ''): [key: string, text: string][] {
  return Object.entries(texts).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' ? [[`${at}${key}`, value]] : flat(value, `${at}${key}.`),
  )
}
/** English has two plural forms, Vietnamese and Chinese one. */
const keys = (texts: Texts) => [...new Set(flat(texts).map(([key]) => key.replace(/_(one|other)$/, '_#')))].sort()
const holes = (text: string) => [...text.matchAll(/\{\{\s*([\w.]+)/g)].map(([, name]) => name).sort()

/** Names and abbreviations that are written the same in every language. */
const names_of_things = new Set(
  `SN | iStage | IMEI | UID | VER | Wi-Fi | ID | MD5 | SHA-256 | APK | MES | MQTT | WebSocket | SIM {{slot}} | BSSID | PostgreSQL |
   OpenStreetMap | CSV | Excel (XLSX) | ZIP | SWUpdate | RAUC | Mender | Android Enterprise | English | Tiếng Việt | 简体中文`.split(
    /\s*\|\s*/,
  ),
)
/** The same in Vietnamese, which writes with the same letters. */
const as_in_english = new Set(['Ethernet', '{{word}}, {{dbm}} dBm', 'WeChat', 'Baidu'])
/** What stands in a sentence and is no number, and what is a number that is never 1: a bound or a span of the product. */
const not_counted = new Set([
  'name',
  'username',
  'version',
  'max',
  'min',
  'length',
  'size',
  'rows',
  'steps',
  'seconds',
  'minutes',
  'days',
  'hours',
])
const hasWords = (text: string) => /\p{L}{2}/u.test(text.replaceAll(/\{\{.*?\}\}/g, ''))

test.each(names)('%s says one and many of what it counts', (name) => {
  const texts = Object.fromEntries(flat(catalogue('en', name) as Texts))
  // A share such as "3 of 9 devices" is one of several. A form for one counts nothing else: that might be one or many.
  const counted =
    /(?<!(?:of|about) )\{\{(\w+)\}\} (?!(?:is|was|has|does|waits|runs|tries|as|this)\b)(?:push |user )?\p{L}+s\b/gu
  const is_counted = ([key, text]: [string, string]) =>
    !key.endsWith('_other') && [...text.matchAll(counted)].some(([, hole = '']) => !not_counted.has(hole))
  expect(Object.entries(texts).filter(is_counted)).toEqual([])
  const other = (key: string) => key.replace(/_one$/, '_other')
  expect(Object.keys(texts).filter((key) => key.endsWith('_one') && !(other(key) in texts))).toEqual([])
  const one = (key: string) => key.replace(/_other$/, '_one')
  const is_lone = ([key, text]: [string, string]) =>
    key.endsWith('_other') && text.includes('{{count}}') && !(one(key) in texts)
  expect(Object.entries(texts).filter(is_lone)).toEqual([])
})

test('every feature has a catalogue in every language', () => {
  expect(names.length).toBeGreaterThan(5)
  expect(new Set(names).size).toBe(names.length)
  for (const language of ['vi', 'zh-cn']) expect(namesIn(language).sort()).toEqual(names.toSorted())
})

test.each(names)('%s has the same keys and placeholders in every language, and no empty text', (name) => {
  const english = catalogue('en', name) as Texts
  expect(flat(english).filter(([, text]) => text.trim() === '')).toEqual([])
  for (const language of ['vi', 'zh-cn']) {
    const texts = catalogue(language, name) as Texts
    expect(keys(texts)).toEqual(keys(english))
    expect(flat(texts).filter(([, text]) => text.trim() === '')).toEqual([])
    const there = Object.fromEntries(flat(english))
    for (const [key, text] of flat(texts)) expect([key, holes(text)]).toEqual([key, holes(there[key] as string)])
  }
})

test.each(names)('%s is translated: no text is a key, or that of another language', (name) => {
  const words = (language: string) =>
    flat(catalogue(language, name) as Texts).filter(([, text]) => hasWords(text) && !names_of_things.has(text))
  const english = Object.fromEntries(words('en'))
  const vietnamese = Object.fromEntries(words('vi'))
  const untranslated = [
    ...words('vi').filter(([key, text]) => text === english[key] && !as_in_english.has(text)),
    ...words('zh-cn').filter(([key, text]) => text === english[key] || text === vietnamese[key]),
  ]
  expect(untranslated).toEqual([])
  // An English word may be its own key ("or"); what has the shape of a key is none.
  const key_shape = /^[a-z]+(?:[_/-][a-z]+)*(?::[a-z_.]+|_[a-z_.]+)$/
  const all = ['en', 'vi', 'zh-cn'].flatMap((language) => flat(catalogue(language, name) as Texts))
  expect(all.filter(([, text]) => key_shape.test(text))).toEqual([])
})
