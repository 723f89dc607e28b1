import { readFile } from 'node:fs/promises'
import { beforeAll, expect, test } from 'vitest'
import { configurableProgram } from '../../testing/android-resources.ts'
import { blockIds, realApk, signature, signingBlock, zip } from '../../testing/apk.ts'
import type { TestEntry } from '../../testing/apk.ts'
import { readPackage } from './package.ts'
import { readSigner } from './signer.ts'
import { inMemory } from './source.ts'

let block: Buffer
beforeAll(async () => {
  const { certificate } = await readSigner(inMemory(await readFile(realApk)))
  block = signingBlock([[blockIds.v2, signature(certificate)]])
})
const factsOf = (entries: TestEntry[]) => readPackage(inMemory(zip({ entries, block })))
const program = () => configurableProgram('com.example.scan')
const same = (text: string) => ({ en: text, vi: text, 'zh-cn': text })

test('what can be set of a program is what its own file says, in the languages that it has', async () => {
  const { settings, ...facts } = await factsOf(program())
  expect(facts).toMatchObject({ package: 'com.example.scan', version_code: 7, label: 'Depot scanner' })
  const plain = { description: null, options: [] }
  expect(settings).toEqual([
    {
      key: 'server',
      kind: 'text',
      title: { en: 'Server', vi: 'Máy chủ', 'zh-cn': '服务器' },
      description: { en: 'Where scans go', vi: 'Nơi nhận dữ liệu quét', 'zh-cn': '扫描数据的去向' },
      preset: 'https://scan.example.com',
      options: [],
    },
    { ...plain, key: 'torch', kind: 'yes_no', title: same('Torch'), preset: 'true' },
    { ...plain, key: 'timeout', kind: 'number', title: same('Time-out'), preset: '30' },
    {
      ...plain,
      key: 'mode',
      kind: 'choice',
      title: same('Mode'),
      preset: 'fast',
      options: [
        { value: 'fast', title: same('Fast') },
        { value: 'careful', title: same('Server') },
      ],
    },
    {
      ...plain,
      key: 'symbologies',
      kind: 'several',
      title: same('Symbologies'),
      preset: 'EAN',
      options: ['EAN', 'QR'].map((value) => ({ value, title: same(value) })),
    },
    { ...plain, key: 'hosts', kind: 'nested', title: same('Hosts'), preset: null },
  ])
})

test('without the file, or with one that cannot be read, nothing can be set and all else is known', async () => {
  const without = program().filter(({ name }) => name !== 'res/xR.xml')
  const damaged = program().map((entry) =>
    entry.name === 'res/xR.xml' ? { ...entry, content: Buffer.from('<restrictions/>') } : entry,
  )
  const too_large = program().map((entry) =>
    entry.name === 'res/xR.xml' ? { ...entry, content: Buffer.alloc(2 * 1024 ** 2) } : entry,
  )
  for (const entries of [without, damaged, too_large])
    expect(await factsOf(entries)).toMatchObject({ package: 'com.example.scan', settings: [] })
  const { settings } = await readPackage(inMemory(await readFile(realApk)))
  expect(settings).toEqual([])
})

test('whichever byte of it is wrong, the program is read', async () => {
  for (const name of ['res/xR.xml', 'resources.arsc']) {
    const { length } = program().find((entry) => entry.name === name)!.content
    for (let at = 0; at < length; at += 11) {
      const entries = program().map((entry) => {
        const content = Buffer.from(entry.content)
        if (entry.name === name) content[at] = content[at]! ^ 0xff
        return { ...entry, content }
      })
      expect(await factsOf(entries)).toMatchObject({ package: 'com.example.scan', version_code: 7 })
    }
  }
})
