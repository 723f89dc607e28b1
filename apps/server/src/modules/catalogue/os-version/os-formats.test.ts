import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract } from '@mdm/contract'
import { osPackagesOf } from '@mdm/device-link'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { localObjects } from '../../../files/local-objects.ts'
import { testApi } from '../../../testing/calls.ts'
import type { TestApi } from '../../../testing/calls.ts'
import { addTerminal } from '../../../testing/devices.ts'
import { menderOf, raucbOf, swuOf } from '../../../testing/os-images.ts'
import { addUid, addUpload } from '../../../testing/os-versions.ts'
import { available, leftOutOf, manifestIn } from '../../store/os-update/index.ts'

const calls = contract.opsOsVersion.calls
const code = 'NM11602S1E0ENGEN0001'

describe('a package for the updater of others', () => {
  let o: TestApi
  let uid_kid: string
  let folder: string
  let ver = 40
  beforeAll(async () => {
    o = await testApi()
    folder = await mkdtemp(join(tmpdir(), 'os-formats-'))
    o.deps.objects = await localObjects(folder)
    o.deps.config.data = folder
    uid_kid = await addUid(o.deps, code)
  })
  afterAll(async () => {
    await o.close()
    await rm(folder, { recursive: true, force: true })
  })
  const withPackage = async (bytes: Buffer, name: string) => {
    ver += 1
    const draft = { uid_kid, os_version: `9.00.${ver}`, version_code: ver, ver: ver * 10 }
    const { kid } = (await o.call(calls.insert, draft, o.operator)).data
    const { account_kid, kid: user_kid } = o.operator
    const upload_kid = await addUpload(o.deps, { account_kid, user_kid }, name, bytes)
    expect((await o.call(calls.insert_package, { os_version_kid: kid, upload_kid }, o.operator)).result).toBe(1)
    const found = await vi.waitFor(
      async () => {
        const [one] = (await o.call(calls.get, { kid }, o.operator)).data.packages
        expect(['ready', 'failed']).toContain(one!.state)
        return one!
      },
      { interval: 50 },
    )
    return { kid, found }
  }

  it.each([
    ['till.swu', swuOf('2.1'), { format: 'swu', said_version: '2.1', hardware: ['1.0', '1.2'] }],
    ['till.RAUCB', raucbOf('[update]\ncompatible=Till\n'), { format: 'raucb', said_version: null, hardware: ['Till'] }],
    ['till.mender', menderOf('r2', ['rpi4']), { format: 'mender', said_version: 'r2', hardware: ['rpi4'] }],
  ])('is known by its ending, and says what it is: %s', async (name, bytes, said) => {
    expect((await withPackage(bytes, name)).found).toMatchObject({ state: 'ready', fault: null, ...said })
  })

  it.each([
    ['a.swu', 'image of SWUpdate'],
    ['a.raucb', 'bundle of RAUC'],
    ['a.mender', 'artifact of Mender'],
  ])('is refused with the reason where it is none: %s', async (name, reason) => {
    const { found } = await withPackage(Buffer.from('x'.repeat(2_000)), name)
    expect(found).toMatchObject({ state: 'failed', fault: expect.stringContaining(reason) as string })
  })

  it('is signed with its format, and is for devices alone that can apply it', async () => {
    const { kid } = await withPackage(swuOf(), 'till.swu')
    await o.call(calls.save_audience, { kid, mode: 'launched', is_for_all: true, accounts: [] }, o.operator)
    expect((await o.call(calls.release, { kid }, o.operator)).result).toBe(1)
    const { account_kid } = await o.person(1, o.acme.kid, 'acme.formats', [])
    expect(osPackagesOf(manifestIn(await available(o.deps, account_kid, kid)))).toMatchObject([
      { format: 'swu', said_version: '2.0.0', hardware: ['1.0', '1.2'] },
    ])
    const build = { uid: code, os_version: '9.00.1' }
    const silent = await addTerminal(o.deps, account_kid, build)
    const apart = await addTerminal(o.deps, account_kid, { ...build, os_formats: ['raucb', 'zip'] })
    const able = await addTerminal(o.deps, account_kid, { ...build, os_formats: ['swu'] })
    const left_out = await leftOutOf(o.deps.db, account_kid, kid, [silent, apart, able])
    expect(new Map(left_out.map((one) => [one.kid, one.reason]))).toEqual(
      new Map([
        [silent, 'package_kind'],
        [apart, 'package_kind'],
      ]),
    )
  })

  it('is nothing that the server makes differences from', async () => {
    const { kid: older } = await withPackage(swuOf('1'), 'a.swu')
    const { kid } = await withPackage(swuOf('2'), 'b.swu')
    const input = { os_version_kid: kid, from_kids: [older] }
    expect((await o.call(calls.make_differences, input, o.operator)).message).toContain('full package')
    expect((await o.call(calls.list_from, { kid }, o.operator)).data[0]).toMatchObject({ full_size: null })
  })
})
