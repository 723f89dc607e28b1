import { errors } from '@mdm/contract'
import type { ErrorName } from '@mdm/contract'
import { expect, test } from 'vitest'
import { isTest, read, sources } from './files.ts'

/** Codes of the catalogue that nothing produces yet: the issue that will, or why none does. */
const unproduced: Partial<Record<ErrorName, string>> = {
  map_not_recognised: 'the console alone can tell whether a map answers; its own message says so',
}

test('every code of the catalogue is produced by the server, or stands here with who will', () => {
  const server = sources.filter((file) => file.startsWith('apps/server/src/') && !isTest(file)).map(read)
  const contract = sources.filter((file) => file.startsWith('packages/contract/src/calls/')).map(read)
  const names = Object.keys(errors) as ErrorName[]
  const isSaid = (name: string, texts: readonly string[]) => texts.some((text) => text.includes(`'${name}'`))
  // Declared refusals come about too: the sweep of errors brings each of them about.
  const silent = names.filter((name) => !isSaid(name, server) && !isSaid(name, contract))
  expect(silent.toSorted()).toEqual(Object.keys(unproduced).toSorted())
})
