import { createHash, createPublicKey, verify } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { api_limits, contract, uidKids } from '@mdm/contract'
import type { Sent, UidKid } from '@mdm/contract'
import { ApiManifest } from '@mdm/device-link'
import Fastify from 'fastify'
import type { FastifyError } from 'fastify'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { localObjects } from '../../../files/local-objects.ts'
import { refuseRequest } from '../../../http/refusals.ts'
import { readSigner } from '../../../lib/apk/signer.ts'
import { inMemory } from '../../../lib/apk/source.ts'
import { digest, newKid } from '../../../lib/ids.ts'
import { disguisedApk, realApk } from '../../../testing/apk.ts'
import { testApi } from '../../../testing/calls.ts'
import type { TestApi } from '../../../testing/calls.ts'
import { addUid, addUpload } from '../../../testing/os-versions.ts'
import { mountApiLists } from './device-route.ts'
import { backgroundAtRest } from '../../../lib/background.ts'
import { markNextPiece } from '../terminal-config/index.ts'
import { apiListsOf } from './index.ts'
import { addTerminal } from '../../../testing/devices.ts'

const calls = contract.opsOsMdmApi.calls
type Draft = Sent<typeof calls.insert>
const cert_sha1 = 'ab'.repeat(20)

let o: TestApi
let folder: string
let uid_kid: string
beforeAll(async () => {
  o = await testApi()
  folder = await mkdtemp(join(tmpdir(), 'api-authorisation-'))
  o.deps.objects = await localObjects(folder)
  o.deps.link = { ...o.deps.link, wake() {} }
})
afterAll(async () => {
  await o.close()
  await rm(folder, { recursive: true, force: true })
})
afterEach(() => expect(o.internal_errors).toEqual([]))
beforeEach(async () => {
  for (const table of ['api_authorisation', 'api_list', 'os_uid', 'os_information'] as const)
    await o.deps.db.deleteFrom(table).execute()
  uid_kid = await addUid(o.deps, 'UIDAPI00000000000001')
})

const draft = (more: Partial<Draft> = {}): Draft => ({
  package: 'com.acme.till',
  cert_sha1,
  uid_kids: [uid_kid],
  methods: ['com.acme.Printer.print'],
  ...more,
})
const insert = (more: Partial<Draft> = {}) => o.call(calls.insert, draft(more), o.operator)
const listOf = async (kid = uid_kid) => {
  const row = await o.deps.db.selectFrom('api_list').selectAll().where('uid_kid', '=', kid).executeTakeFirstOrThrow()
  return { ...row, said: ApiManifest.parse(JSON.parse(row.manifest)) }
}

describe('an API authorisation', () => {
  it('is signed for each of its UIDs, and every change makes a new version', async () => {
    const other_uid = await addUid(o.deps, 'UIDAPI00000000000002')
    const typed = cert_sha1.toUpperCase().replace(/..(?=.)/g, '$&:')
    const { data: row } = await insert({ cert_sha1: typed, methods: ['a.b', 'c.d', 'a.b'] })
    expect(row).toMatchObject({ cert_sha1, method_count: 2, uids: [{ kid: uid_kid }], updated_by: 'Name of operator' })
    const first = await listOf()
    expect(first.said).toEqual({
      format: 'mdm-api-1',
      uid: 'UIDAPI00000000000001',
      version: 1,
      apps: [{ package: 'com.acme.till', cert_sha1, methods: ['a.b', 'c.d'] }],
    })
    expect(first.sha256).toBe(createHash('sha256').update(first.manifest).digest('hex'))
    const { public_key } = await o.deps.db
      .selectFrom('os_key')
      .select('public_key')
      .where('kid', '=', first.key_kid)
      .executeTakeFirstOrThrow()
    const key = createPublicKey({ key: Buffer.from(public_key, 'base64'), format: 'der', type: 'spki' })
    expect(verify(null, Buffer.from(first.manifest), key, Buffer.from(first.signature, 'base64'))).toBe(true)

    await o.call(calls.update, { ...draft({ uid_kids: [other_uid] }), kid: row.kid }, o.operator)
    expect((await listOf()).said).toMatchObject({ version: 2, apps: [] })
    expect((await listOf(other_uid)).said).toMatchObject({
      version: 1,
      apps: [{ methods: ['com.acme.Printer.print'] }],
    })
    await o.call(calls.delete, { kid: row.kid }, o.operator)
    expect((await listOf(other_uid)).said).toMatchObject({ version: 2, apps: [] })
    expect((await o.call(calls.get, { kid: row.kid }, o.operator)).status).toBe(404)
  })

  it('keeps the code and the row of a UID that has a list, also when the list is empty by now', async () => {
    const { data: row } = await insert()
    const { get, update, delete: remove } = contract.opsUid.calls
    const { data: uid } = await o.call(get, { kid: uid_kid }, o.operator)
    expect(uid.use_count).toBe(1)
    const { kid, type, display_name, remark, ...rest } = uid
    const kids = Object.fromEntries(uidKids.map((name) => [name, rest[name]])) as Pick<typeof uid, UidKid>
    const renamed = { kid, type, display_name, remark, ...kids, reserve_code: '77' }
    const refusedTwice = async () => {
      const refused = await o.call(update, renamed, o.operator)
      expect([refused.result, refused.message]).toEqual([44034, expect.stringContaining('lists of API calls 1')])
      expect((await o.call(remove, { kid: uid_kid }, o.operator)).result).toBe(44034)
    }
    await refusedTwice()
    await o.call(calls.delete, { kid: row.kid }, o.operator)
    expect((await listOf()).said).toMatchObject({ version: 2, apps: [] })
    await refusedTwice()
    const free = await addUid(o.deps, 'UIDAPI00000000000003')
    expect((await o.call(remove, { kid: free }, o.operator)).result).toBe(1)
  })

  it('concerns devices by what they say that they run, in any case', async () => {
    await insert()
    const kid = await addTerminal(o.deps, o.acme.kid, { sn: 'API-1', uid: ' uidapi00000000000001 ' })
    const foreign = await addTerminal(o.deps, o.acme.kid, { sn: 'API-2', uid: 'UIDAPI9' })
    const { version, sha256 } = await listOf()
    expect([...(await apiListsOf(o.deps.db, [kid, foreign]))]).toEqual([[kid, { version, sha256 }]])
  })

  it('has only those devices told anew whose list became another one', async () => {
    const other_uid = await addUid(o.deps, 'UIDAPI00000000000002')
    const { data: row } = await insert({ uid_kids: [uid_kid, other_uid] })
    const devices = {
      listed: await addTerminal(o.deps, o.acme.kid, {
        uid: 'uidapi00000000000001',
        config_sections: ['api_authorisation'],
      }),
      unheard: await addTerminal(o.deps, o.acme.kid, { uid: 'UIDAPI00000000000001' }),
      unable: await addTerminal(o.deps, o.acme.kid, { uid: 'UIDAPI00000000000001', config_sections: ['ntp'] }),
      second: await addTerminal(o.deps, o.acme.kid, {
        uid: 'UIDAPI00000000000002',
        config_sections: ['api_authorisation'],
      }),
      foreign: await addTerminal(o.deps, o.acme.kid, { uid: 'UIDAPI9', config_sections: ['api_authorisation'] }),
    }
    const kids = Object.values(devices)
    const named = new Map(Object.entries(devices).map(([name, kid]) => [kid, name]))
    /** Devices that what is done makes work out their configuration. */
    const markedBy = async (act: () => Promise<unknown>) => {
      await backgroundAtRest(o.deps)
      await o.deps.db.deleteFrom('terminal_config_delivery').where('terminal_kid', 'in', kids).execute()
      await act()
      await backgroundAtRest(o.deps)
      while (await markNextPiece(o.deps));
      const marked = o.deps.db.selectFrom('terminal_config_delivery').select('terminal_kid')
      const rows = await marked.where('terminal_kid', 'in', kids).where('is_dirty', '=', true).execute()
      return rows.map(({ terminal_kid }) => named.get(terminal_kid)).toSorted()
    }
    const update = (more: object) =>
      o.call(calls.update, { ...draft({ uid_kids: [uid_kid, other_uid], ...more }), kid: row.kid }, o.operator)
    expect(await markedBy(() => update({ remark: 'Till of the bakery' }))).toEqual([])
    expect((await listOf()).version).toBe(1)
    expect(await markedBy(() => update({ methods: ['a.b'] }))).toEqual(['listed', 'second', 'unheard'])
    expect(await markedBy(() => update({ methods: ['a.b'], uid_kids: [uid_kid] }))).toEqual(['second'])
    expect(await markedBy(() => insert({ package: 'com.acme.scale' }))).toEqual(['listed', 'unheard'])
  })

  it('is given to a device seldom: it is large, and a device that cannot use it asks again', async () => {
    await insert()
    const kid = await addTerminal(o.deps, o.acme.kid, { uid: 'UIDAPI00000000000001', secret_hash: digest('s') })
    const other = await addTerminal(o.deps, o.acme.kid, { uid: 'UIDAPI00000000000001', secret_hash: digest('s') })
    const app = Fastify({ genReqId: newKid })
    app.setErrorHandler<FastifyError>((error, request, reply) => refuseRequest(o.deps, error, request, reply))
    mountApiLists(app, o.deps)
    const ask = async (of: string) => {
      const headers = { authorization: `Bearer ${of}:s` }
      return (await app.inject({ url: '/device/api-authorisations', headers })).statusCode
    }
    const asked = []
    for (let n = 0; n < 21; n += 1) asked.push(await ask(kid))
    expect([asked.indexOf(429), await ask(other)]).toEqual([20, 200])
    await o.deps.clock.advance(30_000)
    expect([await ask(kid), await ask(kid)]).toEqual([200, 429])
    await app.close()
  })

  it('takes no name, certificate or method that is none', async () => {
    const fields = async (more: Partial<Draft>) => {
      const { result, data } = await insert(more)
      return [result, Object.keys((data as unknown as { fields: object }).fields)]
    }
    expect(await fields({ package: 'com.acme\u0000' })).toEqual([10000, ['package']])
    expect(await fields({ package: 'com acme' })).toEqual([10000, ['package']])
    expect(await fields({ cert_sha1: 'ab' })).toEqual([10000, ['cert_sha1']])
    expect(await fields({ methods: ['a.b', 'a.\u202Eb'] })).toEqual([10000, ['methods.1']])
    expect(await fields({ methods: [] })).toEqual([10000, ['methods']])
    expect(await fields({ uid_kids: [] })).toEqual([10000, ['uid_kids']])
    const many = Array.from({ length: 100_000 }, (_, n) => `a.b${n}`)
    expect(await fields({ methods: many })).toEqual([10000, ['methods']])
    expect((await insert({ methods: many.slice(0, api_limits.methods) })).data.method_count).toBe(api_limits.methods)
    expect((await insert({ remark: 'twice' })).result).toBe(49311)
  })

  it('is the provider’s, and a reader of the list changes nothing', async () => {
    const { data } = await insert()
    expect((await o.call(calls.paging, {}, o.acme_root)).status).toBe(403)
    const reader = await o.person(101, o.provider.kid, 'api.reader', ['osMdmApiList'])
    expect((await o.call(calls.paging, { text: 'TILL' }, reader)).data.total).toBe(1)
    expect((await o.call(calls.paging, { text: 'AB:AB:AB' }, reader)).data.total).toBe(1)
    expect((await o.call(calls.paging, { uid_kid }, reader)).data.items[0]!.kid).toBe(data.kid)
    expect((await o.call(calls.paging, { text: '%' }, reader)).data.total).toBe(0)
    expect((await o.call(calls.update, { ...draft(), kid: data.kid }, reader)).status).toBe(403)
    expect((await o.call(calls.delete, { kid: data.kid }, reader)).status).toBe(403)
  })
})

describe('an APK', () => {
  const inspect = async (bytes: Buffer) => {
    const of = { account_kid: o.operator.account_kid, user_kid: o.operator.kid }
    return o.call(calls.inspect_package, { upload_kid: await addUpload(o.deps, of, 'a.apk', bytes) }, o.operator)
  }

  it('says its package and proves its certificate', async () => {
    const { data } = await inspect(await readFile(realApk))
    expect(data).toMatchObject({ package: 'io.appium.settings' })
    expect(data.signers).toEqual([expect.stringMatching(/^[0-9a-f]{40}$/)])
    // Somebody else's with the same name has another certificate.
    const certificate = Buffer.from((await readSigner(inMemory(await readFile(realApk)))).certificate)
    certificate[15]! ^= 1
    const other = await inspect(await disguisedApk({ certificate, version_code: 1, version_name: '1' }))
    expect(other.data.package).toBe('io.appium.settings')
    expect(other.data.signers).not.toEqual(data.signers)
  })

  it('that is none is refused', async () => {
    expect((await inspect(Buffer.from('PK\u0003\u0004 no apk'))).status).toBe(422)
    const cut = await readFile(realApk)
    expect((await inspect(cut.subarray(0, cut.length - 200))).status).toBe(422)
  })
})
