import { createPublicKey, generateKeyPairSync, randomBytes, sign, verify } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract } from '@mdm/contract'
import type { OsVersionDetail } from '@mdm/contract'
import type { OsManifest } from '@mdm/device-link'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { localObjects } from '../../../files/local-objects.ts'
import { newKid } from '../../../lib/ids.ts'
import { testActor } from '../../../testing/actor.ts'
import { testApi } from '../../../testing/calls.ts'
import type { TestApi } from '../../../testing/calls.ts'
import { addUid, addUpload } from '../../../testing/os-versions.ts'
import { zipOf } from '../../../testing/zip.ts'
import { otherServer } from '../../../testing/other-server.ts'
import { believedKeys, keyChanges, rotate } from '../../store/os-update/index.ts'
import { osDeltas } from './index.ts'
import { wake } from '../../../lib/background.ts'

type OsKeyChange = { old_key: string; new_key: string }

const calls = contract.opsOsVersion.calls
const code = 'NM11602S1E0ENGEN0001'
const same = randomBytes(200_000)

let o: TestApi
let folder: string
let uid_kid: string
beforeAll(async () => {
  o = await testApi()
  folder = await mkdtemp(join(tmpdir(), 'os-deltas-'))
  o.deps.objects = await localObjects(folder)
  o.deps.config.data = folder
})
afterAll(async () => {
  await o.close()
  await rm(folder, { recursive: true, force: true })
})
afterEach(() => expect(o.internal_errors).toEqual([]))
beforeEach(async () => {
  for (const table of ['os_version', 'os_key', 'os_uid', 'os_information'] as const)
    await o.deps.db.deleteFrom(table).execute()
  uid_kid = await addUid(o.deps, code)
})

const get = async (kid: string): Promise<OsVersionDetail> => (await o.call(calls.get, { kid }, o.operator)).data
const settled = (kid: string) =>
  vi.waitFor(
    async () => {
      const { packages } = await get(kid)
      expect(packages.every(({ state }) => state === 'ready' || state === 'failed')).toBe(true)
      return packages
    },
    { interval: 50 },
  )
async function version(ver: number, full: Buffer | null = null): Promise<string> {
  const row = { uid_kid, os_version: `9.00.${ver}`, version_code: ver, ver }
  const { kid } = (await o.call(calls.insert, row, o.operator)).data
  if (full) {
    const of = { account_kid: o.operator.account_kid, user_kid: o.operator.kid }
    const upload_kid = await addUpload(o.deps, of, `m_${code}_${ver}.zip`, full)
    await o.call(calls.insert_package, { os_version_kid: kid, upload_kid }, o.operator)
    await settled(kid)
  }
  return kid
}
const zip = (text: string) =>
  zipOf([
    ['DOWNLOAD/system.img', same],
    ['DOWNLOAD/version', text],
  ])
const make = (os_version_kid: string, ...from_kids: string[]) =>
  o.call(calls.make_differences, { os_version_kid, from_kids }, o.operator)
const release = async (kid: string) => {
  await o.call(calls.save_audience, { kid, mode: 'launched', is_for_all: true, accounts: [] }, o.operator)
  return o.call(calls.release, { kid }, o.operator)
}
const manifest = async (kid: string) => {
  const row = await o.deps.db.selectFrom('os_version').selectAll().where('kid', '=', kid).executeTakeFirstOrThrow()
  return JSON.parse(row.manifest!) as OsManifest
}

describe('differences that the server makes', () => {
  it('lead from chosen older versions, one after the other, and are signed in a list of their own', async () => {
    const [first, second, target] = [
      await version(1, await zip('1')),
      await version(2, await zip('2')),
      await version(3, await zip('3')),
    ]
    const { data } = await make(target, first, second)
    expect(data.kids).toHaveLength(2)
    const packages = await settled(target)
    expect(packages.map(({ kind, is_made, state, progress }) => [kind, is_made, state, progress])).toEqual([
      ['full', false, 'ready', 0],
      ['difference', true, 'ready', 100],
      ['difference', true, 'ready', 100],
    ])
    expect(packages[1]!.size).toBeLessThan(packages[0]!.size! / 50)
    expect((await make(target, first)).result).toBe(44049)
    expect((await release(target)).result).toBe(1)
    const { packages: whole, deltas } = await manifest(target)
    expect(whole.map(({ from }) => from)).toEqual([null])
    expect(deltas!.map(({ from }) => from.ver)).toEqual([1, 2])
    expect((await get(target)).packages.every(({ is_offered }) => is_offered)).toBe(true)
    expect(await readdir(join(folder, 'os-deltas'))).toEqual([])
  })

  it('are refused where a full package is missing or the version is not older', async () => {
    const [first, bare, target] = [await version(1, await zip('1')), await version(2), await version(3, await zip('3'))]
    expect((await make(target, bare)).result).toBe(44067)
    expect((await make(bare, first)).result).toBe(44067)
    expect((await make(first, target)).result).toBe(44053)
    expect((await make(target, newKid())).result).toBe(44051)
    const [listed] = (await o.call(calls.list_from, { kid: target }, o.operator)).data
    expect(listed).toMatchObject({ kid: bare, full_size: null })
    expect((await get(target)).packages).toHaveLength(1)
  })

  it('fail with the reason, can be tried again, and are given up when they are removed', async () => {
    const [first, target] = [await version(1, await zip('1')), await version(3, await zip('3'))]
    const [full] = (await get(first)).packages
    const stored = await o.deps.db
      .selectFrom('os_package')
      .selectAll()
      .where('kid', '=', full!.kid)
      .executeTakeFirstOrThrow()
    // What is wrong with a package that was found in order shows when the difference is made.
    await o.deps.objects.delete(stored.object!)
    const put = async (bytes: Buffer) =>
      o.deps.objects.put(stored.object!, (await import('node:stream')).Readable.from([bytes]), bytes.length)
    await put(Buffer.from('no archive'))
    const { kids } = (await make(target, first)).data
    expect((await settled(target))[1]).toMatchObject({
      state: 'failed',
      fault: 'The difference could not be made from these packages.',
    })
    await put(await zip('1'))
    await o.call(calls.retry_package, { kid: kids[0]! }, o.operator)
    expect((await settled(target))[1]).toMatchObject({ state: 'ready', fault: null })
    // With the full package it led to.
    await o.call(calls.delete_package, { kid: (await get(target)).packages[0]!.kid }, o.operator)
    expect((await get(target)).packages).toEqual([])
  })

  it('are begun anew when the server that made them is gone, and dropped when they are removed meanwhile', async () => {
    const [first, target] = [await version(1, await zip('1')), await version(3, await zip('3'))]
    const other = await otherServer(o.deps)
    const row = {
      kid: newKid(),
      os_version_kid: target,
      from_build: JSON.stringify({ os_version: '9.00.1', version_code: 1, ver: 1 }),
      from_kid: first,
      is_made: true,
      file_name: `${code}.zip`,
      state: 'making' as const,
      progress: 40,
      worked_by: other.node_kid,
      created_by_kid: o.operator.kid,
      created_by: 'x',
      created_at: o.deps.clock.now(),
    }
    await o.deps.db.insertInto('os_package').values(row).execute()
    wake(o.deps, osDeltas)
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect((await get(target)).packages[1]).toMatchObject({ state: 'making', progress: 40 })
    await other.die()
    wake(o.deps, osDeltas)
    await vi.waitFor(async () => expect(await readdir(join(folder, 'os-deltas'))).toEqual([row.kid]), { interval: 5 })
    await o.call(calls.delete_package, { kid: row.kid }, o.operator)
    await vi.waitFor(async () => expect(await readdir(join(folder, 'os-deltas'))).toEqual([]))
    expect(await o.deps.objects.info(row.kid)).toBeUndefined()
    expect((await get(target)).packages).toHaveLength(1)
  })
})

describe('a version that is out', () => {
  const row = (kid: string) =>
    o.deps.db.selectFrom('os_version').selectAll().where('kid', '=', kid).executeTakeFirstOrThrow()
  const offer = (kid: string, more: object = {}) => o.call(calls.offer_packages, { kid, ...more }, o.operator)

  it('gets differences without going offline; what devices were told of stays, and stays signed', async () => {
    const [first, second, target] = [
      await version(1, await zip('1')),
      await version(2, await zip('2')),
      await version(3, await zip('3')),
    ]
    expect((await release(target)).result).toBe(1)
    const before = await row(target)
    expect((await offer(target)).result).toBe(44070)
    await make(target, first)
    const upload_kid = await addUpload(
      o.deps,
      { account_kid: o.operator.account_kid, user_kid: o.operator.kid },
      `m_${code}_2_3.zip`,
      await zip('from 2 to 3'),
    )
    const added = { os_version_kid: target, from_kid: second, upload_kid }
    expect((await o.call(calls.insert_package, added, o.operator)).result).toBe(1)
    await settled(target)
    // Nothing reaches devices by itself.
    expect((await row(target)).manifest).toBe(before.manifest)
    expect((await get(target)).packages.map(({ is_offered }) => is_offered)).toEqual([true, false, false])
    expect((await offer(target)).result).toBe(1)
    const after = await row(target)
    expect(after).toMatchObject({ state: 'launched', released_at: before.released_at })
    const { packages, deltas } = JSON.parse(after.manifest!) as OsManifest
    expect(packages.map(({ from }) => from?.ver ?? null)).toEqual([null, 2])
    expect(deltas!.map(({ from }) => from.ver)).toEqual([1])
    for (const { manifest: text, signature } of [before, after])
      expect(isSigned((await get(target)).key!, text!, signature!)).toBe(true)
    // What is offered stays until it goes offline; what is not can be removed.
    const offered = (await get(target)).packages
    for (const { kid } of offered) expect((await o.call(calls.delete_package, { kid }, o.operator)).result).toBe(44047)
    expect((await offer(target)).result).toBe(44070)
  })
})

it('a device is told the last fifty changes of the key, however many there were', async () => {
  const actor = testActor(o.deps, o.operator.account_kid)
  for (let n = 0; n < 52; n += 1) {
    await o.deps.clock.advance(1_000)
    await rotate(actor, false)
  }
  const changes = (await keyChanges(o.deps)).map(({ statement }) => JSON.parse(statement) as OsKeyChange)
  expect(changes).toHaveLength(50)
  // One after the other, up to the key of today.
  expect(changes.slice(1).map(({ old_key }) => old_key)).toEqual(changes.slice(0, -1).map(({ new_key }) => new_key))
  const { data } = await o.call(calls.list_key, {}, o.operator)
  expect(changes.at(-1)!.new_key).toBe(data.find(({ is_active }) => is_active)!.public_key)
})

describe('a key that the server does not hold', () => {
  const pair = () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const der = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
    return {
      der,
      pem: String(publicKey.export({ format: 'pem', type: 'spki' })),
      sign: (text: string) => sign(null, Buffer.from(text), privateKey).toString('base64'),
    }
  }
  beforeEach(async () => {
    await o.deps.db.updateTable('session').set({ confirmed_at: o.deps.clock.now() }).execute()
  })
  const register = (input: { public_key: string; signature?: string }) => o.call(calls.register_key, input, o.operator)
  const statement = async (public_key: string) => (await o.call(calls.key_statement, { public_key }, o.operator)).data

  it('signs outside: only the signature of what is released then lets a version out', async () => {
    const [old, target] = [await version(1, await zip('1')), await version(3, await zip('3'))]
    await release(old)
    const server_key = (await get(old)).key!
    const own = pair()
    expect((await register({ public_key: 'x'.repeat(60) })).result).toBe(44103)
    expect((await register({ public_key: server_key })).result).toBe(44104)
    expect((await register({ public_key: own.pem })).result).toBe(1)
    expect((await o.call(calls.rotate_key, { is_old_revoked: false }, o.operator)).result).toBe(44105)
    expect((await release(target)).result).toBe(44101)
    const { data } = await o.call(calls.to_sign, { kid: target }, o.operator)
    expect(data).toMatchObject({ public_key: own.der, is_offline: true })
    const send = (signature: string) => o.call(calls.release, { kid: target, signature }, o.operator)
    expect((await send(pair().sign(data.manifest))).result).toBe(44102)
    expect((await send(own.sign(`${data.manifest} `))).result).toBe(44102)
    expect((await get(target)).state).toBe('draft')
    expect((await send(own.sign(data.manifest))).result).toBe(1)
    expect((await get(target)).key).toBe(own.der)
    // What was out is signed as before, and a device that knows no key believes both.
    expect((await get(old)).key).toBe(server_key)
    expect(await believedKeys(o.deps)).toEqual([own.der, server_key])
    const [change] = await keyChanges(o.deps)
    expect(isSigned(server_key, change!.statement, change!.signature)).toBe(true)
    expect(JSON.parse(change!.statement)).toMatchObject({
      old_key: server_key,
      new_key: own.der,
      is_old_revoked: false,
    })
    const stored = await o.deps.db.selectFrom('os_key').selectAll().where('public_key', '=', own.der).executeTakeFirst()
    expect(stored!.private_key_sealed).toBeNull()
  })

  it('is introduced by the one before it, which signs outside as well', async () => {
    const [first, second] = [pair(), pair()]
    expect(await statement(first.der)).toEqual({ statement: '', is_offline: false })
    expect((await register({ public_key: first.der })).result).toBe(1)
    expect((await register({ public_key: second.der })).result).toBe(44101)
    const told = await statement(second.der)
    expect(told.is_offline).toBe(true)
    expect((await register({ public_key: second.der, signature: second.sign(told.statement) })).result).toBe(44102)
    expect((await register({ public_key: second.der, signature: first.sign(told.statement) })).result).toBe(1)
    const keys = (await o.call(calls.list_key, {}, o.operator)).data
    expect(keys.map(({ public_key, is_active, is_offline }) => [public_key, is_active, is_offline])).toEqual([
      [second.der, true, true],
      [first.der, false, true],
    ])
  })
})

const isSigned = (key: string, text: string, signature: string): boolean =>
  verify(
    null,
    Buffer.from(text),
    createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' }),
    Buffer.from(signature, 'base64'),
  )
