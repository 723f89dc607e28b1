import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { browserFilesOf, sharedRoomFiles, walkedKeys } from './browser-files.mjs'
import { root } from './terminal.mjs'

const inFolder = (folder: string) => readdirSync(join(root, folder), { withFileTypes: true })
const keyOf = (name: string) => name.replace(/\.ts$/, '').replaceAll('_', '-')
/** Feature keys as they stand in the tree. */
const featureKeys = (): Set<string> => {
  const modules = inFolder('apps/server/src/modules').flatMap(({ name }) =>
    inFolder(`apps/server/src/modules/${name}`).map((child) => child.name),
  )
  const rooms = ['apps/console/src/features', 'apps/console/src/shared'].flatMap((folder) => inFolder(folder))
  const rows = ['packages/contract/src/calls', 'packages/contract/src/states'].flatMap((folder) => inFolder(folder))
  return new Set([
    ...modules,
    ...rooms.map(({ name }) => name),
    ...rows.flatMap(({ name }) => (name.endsWith('.test.ts') ? [] : [keyOf(name)])),
  ])
}
const e2e = (...names: string[]) => names.map((name) => `e2e/${name}.e2e.ts`).toSorted()

describe('the browser files that a change reaches', () => {
  test('are those that walk its feature, in whichever room the change is', () => {
    for (const file of [
      'apps/server/src/modules/watch/webhook/queue.ts',
      'apps/console/src/features/webhook/WebhooksPage.tsx',
      'packages/contract/src/calls/webhook.ts',
      'e2e/webhook.e2e.ts',
    ])
      expect(browserFilesOf([file]), file).toEqual(e2e('webhook'))
    expect(browserFilesOf(['packages/contract/src/states/os_custom.ts'])).toEqual(e2e('os-custom'))
    expect(browserFilesOf(['apps/console/src/features/configure/edit/x.tsx'])).toEqual(e2e('configurations'))
  })

  test('are a few for a room that all features share, and all for what browser tests stand on', () => {
    for (const file of [
      'apps/console/src/ui/Empty.tsx',
      'apps/console/src/shell/Menu.tsx',
      'apps/server/src/http/app.ts',
    ])
      expect(browserFilesOf([file]), file).toEqual(e2e(...sharedRoomFiles))
    for (const file of ['e2e/pages.ts', 'playwright.config.ts', 'package-lock.json'])
      expect(browserFilesOf([file]), file).toEqual(e2e(...Object.keys(walkedKeys)))
  })

  test('are none for documents, tools and unit tests, and each one once', () => {
    expect(browserFilesOf([])).toEqual([])
    expect(
      browserFilesOf(['README.md', 'tools/check.mjs', 'apps/server/src/modules/watch/webhook/webhook.test.ts']),
    ).toEqual([])
    expect(browserFilesOf(['packages/contract/src/calls/alert.ts', 'e2e/alert.e2e.ts'])).toEqual(e2e('alert'))
  })

  test('stand in the table, all of them and no others', () => {
    const files = inFolder('e2e').flatMap(({ name }) => (name.endsWith('.e2e.ts') ? [`e2e/${name}`] : []))
    expect(e2e(...Object.keys(walkedKeys))).toEqual(files.toSorted())
    expect(files).toEqual(expect.arrayContaining(e2e(...sharedRoomFiles)))
  })

  test('walk every feature, and no feature that is not there', () => {
    expect([...new Set(Object.values(walkedKeys).flat())].toSorted()).toEqual([...featureKeys()].toSorted())
  })
})
