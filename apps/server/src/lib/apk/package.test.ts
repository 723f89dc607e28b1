import { createHash, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, it, test } from 'vitest'
import { disguisedApk, inMemory, realApk, realManifest, zip } from '../../testing/apk.ts'
import type { TestEntry } from '../../testing/apk.ts'
import { readPackage } from './package.ts'
import { readSigner } from './signer.ts'
import { ApkError } from './source.ts'

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
  const with_manifest = (content: Buffer) =>
    disguisedApk({ certificate }).then(() =>
      zip({ entries: [{ name: 'AndroidManifest.xml', content }], block: block() }),
    )
  let sealed: Buffer
  const block = () => sealed
  beforeAll(async () => {
    const whole = await disguisedApk({ certificate })
    const end = whole.lastIndexOf('APK Sig Block 42') + 16
    sealed = whole.subarray(end - Number(whole.readBigUInt64LE(end - 24)) - 8, end)
  })

  it('leaves what it would say to people, and the signers are known all the same', async () => {
    const facts = await factsOf(await with_manifest(Buffer.from('<manifest/>'.repeat(20))))
    expect(facts).toMatchObject({ package: null, version_name: null, version_code: null, label: null })
    expect(facts.signers).toHaveLength(1)
  })

  it('never does more than that, whichever byte of it is wrong', async () => {
    const whole = await realManifest()
    const names = new Set<unknown>()
    for (let at = 0; at < whole.length; at += 7) {
      const bytes = Buffer.from(whole)
      bytes[at] = bytes[at]! ^ 0xff
      const facts = await factsOf(await with_manifest(bytes))
      expect(facts.signers).toHaveLength(1)
      names.add(facts.package)
    }
    expect(names).toContain('io.appium.settings')
    expect(names).toContain(null)
  }, 60_000)
})

test('unsigned, or with two manifests, it is none that a device would install', async () => {
  const manifest = { name: 'AndroidManifest.xml', content: await realManifest() }
  expect(await reasonOf(zip({ entries: [manifest] }))).toBe('unsigned')
  expect(await reasonOf(await disguisedApk({ certificate }, [manifest]))).toBe('invalid')
})
