import { createHash, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, it, test } from 'vitest'
import { disguisedApk, realApk, realManifest, zip } from '../../testing/apk.ts'
import type { TestEntry } from '../../testing/apk.ts'
import { line } from './line.ts'
import { readPackage } from './package.ts'
import { readSigner } from './signer.ts'
import { hostilePackages } from '../../testing/hostile-packages.ts'
import { ApkError, inMemory } from './source.ts'
import { splitOf } from './splits.ts'

let real: Buffer
let certificate: Buffer
beforeAll(async () => {
  real = await readFile(realApk)
  certificate = (await readSigner(inMemory(real))).certificate
})
const factsOf = (bytes: Buffer) => readPackage(inMemory(bytes))
const reasonOf = (bytes: Buffer): Promise<unknown> =>
  factsOf(bytes).catch((error: unknown) => (error instanceof ApkError ? error.reason : Promise.reject(error)))

test('the facts of a real APK, as aapt and apksigner print them', async () => {
  const { icon, permissions, ...facts } = await factsOf(real)
  expect(facts).toEqual({
    kind: 'apk',
    package: 'io.appium.settings',
    version_name: '8.0.10',
    version_code: 192,
    label: 'Appium Settings',
    min_sdk: 26,
    target_sdk: 35,
    abis: [],
    splits: [],
    left_out: [],
    is_icon_unshown: false,
    settings: [],
    signers: [new X509Certificate(certificate).fingerprint.replaceAll(':', '').toLowerCase()],
    scheme: 'v2',
  })
  expect(permissions).toHaveLength(27)
  expect(permissions).toContain('android.permission.CHANGE_WIFI_STATE')
  expect(icon?.content_type).toBe('image/png')
})

describe('a package in several APKs', () => {
  const split = async (name: string, version_code = 192): Promise<TestEntry> => ({
    name,
    content: await disguisedApk({ certificate, version_code }, [
      { name: 'lib/armeabi-v7a/liba.so', content: real.subarray(0, 9) },
    ]),
  })

  it('has the facts of its base, and the ABIs that its parts are called by', async () => {
    const base = await split('splits/base-master.apk', 7)
    const config = { ...(await split('splits/base-arm64_v8a.apk')), content: await disguisedApk({ certificate }) }
    const facts = await factsOf(zip({ entries: [config, base] }))
    expect(facts).toMatchObject({ kind: 'apks', package: 'io.appium.settings', version_code: 7 })
    expect(facts.abis).toEqual(['arm64-v8a', 'armeabi-v7a'])
    expect(facts.signers).toEqual([createHash('sha1').update(certificate).digest('hex')])
  })

  it('says which of its parts is for which devices; a whole program beside them is none', async () => {
    const names = ['base-arm64_v8a', 'base-xxhdpi', 'base-vi', 'base-vi_2', 'base-master']
    const parts = await Promise.all(names.map((name) => split(`splits/${name}.apk`)))
    const whole = await split('standalones/standalone-x86.apk')
    const { splits } = await factsOf(zip({ entries: [...parts, whole, await split('splits/config.armeabi_v7a.apk')] }))
    const none = { is_base: false, abi: null, density: null, language: null }
    expect(splits).toEqual([
      { ...none, file: 'splits/base-master.apk', is_base: true },
      { ...none, file: 'splits/base-arm64_v8a.apk', abi: 'arm64-v8a' },
      { ...none, file: 'splits/base-xxhdpi.apk', density: 'xxhdpi' },
      { ...none, file: 'splits/base-vi.apk', language: 'vi' },
      { ...none, file: 'splits/base-vi_2.apk', language: 'vi' },
      { ...none, file: 'splits/config.armeabi_v7a.apk', abi: 'armeabi-v7a' },
    ])
    expect(splitOf('a.apk', 'maps.config.arm64_v8a')).toMatchObject({ abi: 'arm64-v8a' })
    expect(splitOf('a.apk', 'config.hdpi')).toMatchObject({ density: 'hdpi' })
    // A feature of this name, and what devices are not told apart by, are for all.
    expect(splitOf('a.apk', 'vi')).toEqual({ ...none, file: 'a.apk' })
    expect(splitOf('a.apk', 'config.astc')).toEqual({ ...none, file: 'a.apk' })
  })

  it('is refused where it was made to harm', async () => {
    const base = await split('base.apk')
    const zeros = Buffer.alloc(4 * 1024 ** 2)
    const nested = zip({ entries: [{ name: 'base.apk', content: zip({ entries: [base] }) }] })
    for (const name of ['../config.vi.apk', '/config.vi.apk', 'a/../config.vi.apk', 'a\\config.vi.apk', 'config\n.apk'])
      expect(await reasonOf(zip({ entries: [base, { ...base, name }] })), name).toBe('invalid')
    expect(await reasonOf(zip({ entries: [base, { name: 'config.vi.apk', content: nested }] }))).toBe('invalid')
    for (const name of ['base.apk', 'BASE.apk'])
      expect(await reasonOf(zip({ entries: [base, { ...base, name }] })), name).toBe('invalid')
    const many = (count: number, content: Buffer) =>
      Array.from({ length: count }, (_, n) => ({ name: `config.p${n}.apk`, content }))
    expect(await reasonOf(zip({ entries: [base, ...many(200, zeros.subarray(0, 9))] }))).toBe('beyond_limits')
    // 512 MiB of zeros in half a megabyte, and a million entries that the end record cannot even count.
    expect(await reasonOf(zip({ entries: [base, ...many(128, zeros)] }))).toBe('beyond_limits')
    expect(await reasonOf(zip({ entries: [base], count: 0xffff }))).toBe('beyond_limits')
    expect(await reasonOf(zip({ entries: [base], count: 1_000_000 }))).not.toBe(undefined)
  })

  it('is a .xapk with a manifest.json beside them', async () => {
    const json = { name: 'manifest.json', content: Buffer.from('{}') }
    expect(await factsOf(zip({ entries: [json, await split('io.appium.settings.apk')] }))).toMatchObject({
      kind: 'xapk',
    })
  })

  it('is none without an APK, or with something else that is called so', async () => {
    expect(await reasonOf(zip({ entries: [{ name: 'readme.txt', content: Buffer.from('hello') }] }))).toBe('invalid')
    expect(await reasonOf(zip({ entries: [{ name: 'base.apk', content: Buffer.from('hello') }] }))).toBe('invalid')
  })
})

describe('a manifest that cannot be read', () => {
  let sealed: Buffer
  const withManifest = (content: Buffer) => zip({ entries: [{ name: 'AndroidManifest.xml', content }], block: sealed })
  beforeAll(async () => {
    const whole = await disguisedApk({ certificate })
    const end = whole.lastIndexOf('APK Sig Block 42') + 16
    sealed = whole.subarray(end - Number(whole.readBigUInt64LE(end - 24)) - 8, end)
  })

  it('leaves what it would say to people, and the signers are known all the same', async () => {
    const facts = await factsOf(withManifest(Buffer.from('<manifest/>'.repeat(20))))
    expect(facts).toMatchObject({ package: null, version_name: null, version_code: null, label: null })
    expect(facts.signers).toHaveLength(1)
  })

  it('never does more than that, whichever byte of it is wrong', async () => {
    const whole = await realManifest()
    const names = new Set<unknown>()
    for (let at = 0; at < whole.length; at += 7) {
      const bytes = Buffer.from(whole)
      bytes[at] = bytes[at]! ^ 0xff
      const facts = await factsOf(withManifest(bytes))
      expect(facts.signers).toHaveLength(1)
      names.add(facts.package)
    }
    expect(names).toContain('io.appium.settings')
    expect(names).toContain(null)
  })
})

describe('what is not put on devices', () => {
  const none = { is_base: false, abi: null, density: null, language: null }
  const base = async () => ({ name: 'base.apk', content: await disguisedApk({ certificate }) })

  it('is named: expansion files of a .xapk', async () => {
    const json = { name: 'manifest.json', content: Buffer.from('{}') }
    const obb = { name: 'Android/obb/io.appium.settings/main.7.obb', content: Buffer.from('data') }
    const facts = await factsOf(zip({ entries: [json, await base(), obb] }))
    expect(facts).toMatchObject({ kind: 'xapk', left_out: [obb.name] })
  })

  it('is named: another app in a .apks', async () => {
    const other = { name: 'other.apk', content: await disguisedApk({ certificate, package: 'io.appium.sett1ngs' }) }
    const facts = await factsOf(zip({ entries: [other, await base()] }))
    expect(facts.splits).toEqual([{ ...none, file: 'base.apk', is_base: true }])
    expect(facts.left_out).toEqual(['other.apk'])
  })
})

test('an icon that only Android draws is told, and pictures that it has are shown', async () => {
  expect(await factsOf(real)).toMatchObject({ is_icon_unshown: false })
  // Neither pictures nor the table that names them.
  expect(await factsOf(await disguisedApk({ certificate }))).toMatchObject({ icon: null, is_icon_unshown: true })
})

test('a label is one line, and turns nothing round beside it', () => {
  expect(line('Till\r\n\u202egnp\u2066.\u200bexe\u2028end', 100)).toBe('Till gnp.exe end')
  expect(line('می\u200cخواهم', 100)).toBe('می\u200cخواهم')
  expect(line('\u202e\n', 100)).toBe(null)
})

test('unsigned, or with two manifests, it is none that a device would install', async () => {
  const manifest = { name: 'AndroidManifest.xml', content: await realManifest() }
  expect(await reasonOf(zip({ entries: [manifest] }))).toBe('unsigned')
  expect(await reasonOf(await disguisedApk({ certificate }, [manifest]))).toBe('invalid')
})

describe('what was made to harm', () => {
  it.each(hostilePackages)('%s is refused', async (_what, reason, make) => {
    const bytes = await make()
    const before = process.cpuUsage()
    expect(await reasonOf(bytes)).toBe(reason)
    // Of the processor, not of the clock: others may be at work on the same machine. Memory is measured by `bench -- R13`.
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1_000).toBeLessThan(2_000)
  })
})
