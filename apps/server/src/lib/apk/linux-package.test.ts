import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { zip } from '../../testing/apk.ts'
import { readPackage } from './package.ts'
import { inMemory } from './source.ts'
import type { ApkError } from './source.ts'

let folder: string
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'mdm-deb-'))))
afterAll(() => rmSync(folder, { recursive: true }))

const control = 'Package: acme-scan\nVersion: 1.4-2\nArchitecture: arm64\nMaintainer: A <a@b.c>\nDescription: Scan\n'
/** As `ar` writes it: names of 16 characters, sizes of 10. */
const ar = (members: Record<string, Buffer>) =>
  Buffer.concat([
    Buffer.from('!<arch>\n'),
    ...Object.entries(members).flatMap(([name, bytes]) => [
      Buffer.from(`${name.padEnd(16)}${'0'.padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'100644'.padEnd(8)}`),
      Buffer.from(`${String(bytes.length).padEnd(10)}\`\n`),
      bytes,
      Buffer.alloc(bytes.length % 2, 10),
    ]),
  ])
function deb(packing: 'gz' | 'xz' = 'gz'): Buffer {
  const at = join(folder, packing)
  mkdirSync(at, { recursive: true })
  writeFileSync(join(at, 'control'), control)
  const tar = (...names: string[]) =>
    execFileSync('tar', ['-C', at, `-c${packing === 'gz' ? 'z' : 'J'}`, ...names], { maxBuffer: 1e6 })
  return ar({
    'debian-binary': Buffer.from('2.0\n'),
    [`control.tar.${packing}`]: tar('./control'),
    [`data.tar.${packing}`]: tar('./control'),
  })
}
const factsOf = (bytes: Buffer) => readPackage(inMemory(bytes))
const reasonOf = (bytes: Buffer) => factsOf(bytes).catch((error: unknown) => (error as ApkError).reason)

test('a Debian package says its name, version and processor; a control that is not read is typed', async () => {
  const bytes = deb()
  expect(await factsOf(bytes)).toMatchObject({
    kind: 'deb',
    package: 'acme-scan',
    version_name: '1.4-2',
    version_code: null,
    label: 'Scan',
    abis: ['arm64-v8a'],
    signers: [],
  })
  expect(await factsOf(deb('xz'))).toMatchObject({ kind: 'deb', package: null, version_name: null })
  expect(await reasonOf(bytes.subarray(0, bytes.length - 40))).toBe('invalid')
  expect(await reasonOf(ar({ 'debian-binary': Buffer.from('2.0\n') }))).toBe('invalid')
  expect(await reasonOf(ar({ ...members, 'control.tar.gz': Buffer.from('no gzip') }))).toBe('invalid')
})
const members = { 'debian-binary': Buffer.from('2.0\n'), 'data.tar.gz': Buffer.alloc(10) }

test('a zip with a manifest of its own is an app; without one it is none', async () => {
  const of = (manifest: unknown, ...names: string[]) =>
    zip({
      entries: [
        { name: 'mdm-app.json', content: Buffer.from(JSON.stringify(manifest)) },
        ...names.map((name) => ({ name, content: Buffer.from(name) })),
      ],
    })
  const said = { package: 'com.acme.till', version: '2.1', version_code: 21, title: 'Till', abis: ['x86_64'] }
  expect(await factsOf(of(said))).toMatchObject({
    kind: 'zip',
    package: 'com.acme.till',
    version_name: '2.1',
    version_code: 21,
    label: 'Till',
    abis: ['x86_64'],
  })
  expect(await reasonOf(of({ version: '2.1' }))).toBe('invalid')
  // Its devices tell cases apart.
  expect(await factsOf(of(said, 'Makefile', 'makefile'))).toMatchObject({ kind: 'zip' })
  expect(await reasonOf(of(said, 'caf\u00e9', 'cafe\u0301'))).toBe('invalid')
  expect(await reasonOf(of(said, 'til\u200bl'))).toBe('invalid')
  expect(await reasonOf(zip({ entries: [{ name: 'readme.txt', content: Buffer.from('hi') }] }))).toBe('invalid')
})
