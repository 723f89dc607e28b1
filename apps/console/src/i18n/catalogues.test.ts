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
