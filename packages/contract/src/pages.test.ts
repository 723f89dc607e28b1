import { describe, expect, test } from 'vitest'
import { pageGroups, pageList, pages } from './pages.ts'
import { permissions } from './permissions.ts'
import { languages } from './wire.ts'

const camel = (path: string) => path.slice(1).replace(/[-/](\w)/g, (_, letter: string) => letter.toUpperCase())

describe('the table of pages', () => {
  test('a page that asks for a permission is named after its path', () => {
    expect(pageList.filter(({ name, needs, path }) => needs === name && camel(path) !== name)).toEqual([])
  })

  test('paths are unique', () => {
    expect(new Set(pageList.map(({ path }) => path)).size).toBe(pageList.length)
  })

  test('a page stands in one group', () => {
    expect(pageGroups.flatMap((group) => Object.keys(group.pages)).toSorted()).toEqual(Object.keys(pages).toSorted())
  })

  test('the parent of a page is a page of the same side', () => {
    const odd = pageList.filter(({ parent, end_type }) => parent !== null && pages[parent]?.end_type !== end_type)
    expect(odd.map(({ name }) => name)).toEqual([])
  })

  test('titles are there in every language', () => {
    const titles = [
      ...pageGroups.map(({ code, title }) => [code, title] as const),
      ...pageList.flatMap(({ name, title, operations }) => [
        [name, title] as const,
        ...operations.map((operation) => [operation.code, operation.title] as const),
      ]),
    ]
    expect(titles.filter(([, title]) => languages.some((l) => !title[l]?.trim())).map(([code]) => code)).toEqual([])
  })

  test('permissions are the guarded pages and the operations, each once', () => {
    expect(new Set(permissions).size).toBe(permissions.length)
    expect(permissions).toContain('deviceList')
    expect(permissions).toContain('deviceList:register')
    expect(permissions).not.toContain('login')
  })
})
