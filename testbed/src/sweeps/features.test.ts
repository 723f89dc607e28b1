import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { anyThings, everyCall, features } from './features.ts'

const filesIn = (folder: string) => readdirSync(new URL(folder, import.meta.url)).map((file) => file.replace('.ts', ''))

test('every call has one feature, which gives it a valid input', () => {
  const given = Object.values(features).flatMap(({ inputs }) => Object.keys(inputs(anyThings)))
  expect(given.toSorted()).toEqual(everyCall.map(({ path }) => path).toSorted())
})

test('every file of features/ is in the list, in the order of the alphabet', () => {
  expect(Object.keys(features)).toEqual(filesIn('features').toSorted())
})

test('a feature is named as its module of the server', () => {
  const root = '../../../apps/server/src/modules'
  const modules = new Set(filesIn(root).flatMap((district) => filesIn(`${root}/${district}`)))
  expect(Object.keys(features).filter((name) => !modules.has(name))).toEqual([])
})
