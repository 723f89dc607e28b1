import { createHash } from 'node:crypto'
import { addAccount } from '@mdm/server/testing/devices.ts'
import { swuOf } from '@mdm/server/testing/os-images.ts'
import { addUid } from '@mdm/server/testing/os-versions.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newSecret, digest, newKid } from '@mdm/server/lib/ids.ts'
import { releaseOs } from '../os-release.ts'
import { until } from '../until.ts'
import { world } from '../world.ts'
import type { World } from '../world.ts'

const uid = 'NM11602S1E0ENGEN0001'
const later = new Date('2100-01-01')
type Body = Record<string, unknown>
type Reply = { status: number; body: Body }
type Links = Record<string, { href: string } | undefined>

describe('the gateway of hawkBit', () => {
  let w: World
  let token: string
  let other_token: string
  let uid_kid: string
  let ver = 1
  let made = 0
  beforeAll(async () => {
    w = await world({ env: { MDM_GATEWAY_HAWKBIT: 'true', MDM_HAWKBIT_POLL_SECONDS: '3725' } })
    w.server.deps.config.public_url = w.url
    uid_kid = await addUid(w.server.deps, uid)
    token = await code(w.seed.customers[0]!.account_kid)
    other_token = await code(await addAccount(w.server.deps as never))
  })
  afterAll(() => w[Symbol.asyncDispose]())

  async function code(account_kid: string, more: object = {}): Promise<string> {
    const value = newSecret()
    const row = {
      kid: newKid(),
      account_kid,
      token_hash: digest(value),
      terminal_group_kid: null,
      created_by_kid: newKid(),
    }
    await w.server.deps.db
      .insertInto('qrcode')
      .values({ ...row, is_permanent: true, expires_at: null, ...more })
      .execute()
    return value
  }
  const ask = async (path: string, auth: string, init: RequestInit & { json?: unknown } = {}): Promise<Reply> => {
    const { json, ...rest } = init
    const headers = {
      authorization: auth,
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...rest.headers,
    }
    const url = path.startsWith('http') ? path : `${w.url}${path}`
    const answer = await fetch(url, { ...rest, headers, ...(json !== undefined && { body: JSON.stringify(json) }) })
    const text = await answer.text()
    return { status: answer.status, body: text.startsWith('{') ? (JSON.parse(text) as Body) : {} }
  }
  /** A device that has joined, and said what it is. */
  async function device(attributes: object = { uid, os_version: '9.00.1' }, own = token) {
    const id = `UNIT-${++made}`
    const auth = `GatewayToken ${own}`
    const at = `/default/controller/v1/${id}`
    const call = (path = '', init: RequestInit & { json?: unknown } = {}) =>
      ask(path.startsWith('http') ? path : `${at}${path}`, auth, init)
    const links = async () => (await call()).body['_links'] as Links
    const joined = await call()
    await call('/configData', { method: 'PUT', json: { mode: 'merge', data: attributes } })
    const row = () => w.server.deps.db.selectFrom('terminal').selectAll().where('sn', '=', id).executeTakeFirst()
    const feedback = (path: string, execution: string, finished = 'none', more: object = {}) =>
      call(`${path}/feedback`, {
        method: 'POST',
        json: { id: 1, status: { execution, result: { finished }, details: ['said'], ...more } },
      })
    return { id, auth, at, call, links, row, joined, feedback }
  }
  async function push(kid: string, more: object = {}) {
    ver += 1
    const version = { os_version: `9.00.${ver}`, version_code: ver, ver: ver * 10 }
    const file = { name: 'till.swu', bytes: swuOf(version.os_version) }
    const os_version_kid = await releaseOs(w.operator, { uid_kid, uid, version, file })
    const input = { type: 'os' as const, payload: { os_version_kid }, terminal_kids: [kid], ...more }
    const task = await w.customers[0]!.pushTask.insert(input)
    const row = () =>
      w.server.deps.db
        .selectFrom('push_task_terminal')
        .selectAll()
        .where('push_task_kid', '=', task.kid)
        .executeTakeFirstOrThrow()
    return { kid: task.kid, row, version }
  }
  const pathOf = (link: { href: string } | undefined): string => /\/(\w+\/\d+)$/.exec(link?.href ?? '')?.[1] ?? ''

  it('registers a device by a permanent code, and tells it when to come again', async () => {
    const d = await device()
    expect(d.joined).toMatchObject({ status: 200, body: { config: { polling: { sleep: '01:02:05' } } } })
    expect(d.joined.body['_links']).toEqual({ configData: { href: `${w.url}${d.at}/configData` } })
    expect(await d.row()).toMatchObject({
      agent_kind: 'hawkbit',
      uid,
      os_version: '9.00.1',
      task_types: ['os'],
      os_formats: ['swu', 'raucb'],
    })
    // What it has said is not asked for again.
    expect(await d.links()).toEqual({})
  })

  it('lets nobody in who has no code, a code that was revoked, or another’s', async () => {
    const d = await device()
    for (const auth of [
      '',
      `GatewayToken ${newSecret()}`,
      `TargetToken ${token}`,
      `Bearer ${token}`,
      'GatewayToken ',
      `TargetToken ${newKid()}:${newSecret()}`,
    ])
      expect((await ask(d.at, auth)).status).toBe(401)
    const gone = await code(w.seed.customers[0]!.account_kid, { revoked_at: new Date() })
    expect((await ask(d.at, `GatewayToken ${gone}`)).status).toBe(401)
    const once = await code(w.seed.customers[0]!.account_kid, { is_permanent: false, expires_at: later })
    expect((await ask(d.at, `GatewayToken ${once}`)).status).toBe(401)
    // The same id in another account is another device.
    expect((await ask(d.at, `GatewayToken ${other_token}`)).status).toBe(200)
    const rows = await w.server.deps.db
      .selectFrom('terminal')
      .select(['kid', 'account_kid'])
      .where('agent_kind', '=', 'hawkbit')
      .execute()
    expect(new Set(rows.map(({ account_kid }) => account_kid)).size).toBe(2)
  })

  it('shows a deployment to its device alone, and follows what becomes of it', async () => {
    const d = await device()
    const stranger = await device()
    const own = await device({ uid, os_version: '9.00.1' }, other_token)
    const { kid } = (await d.row())!
    const p = await push(kid)
    const path = pathOf((await d.links())['deploymentBase'])
    expect(path).toMatch(/^deploymentBase\/\d+$/)
    expect((await p.row()).state).toBe('wait_receipt')
    for (const other of [stranger, own]) {
      expect((await other.call(`/${path}`)).status).toBe(404)
      expect((await other.feedback(`/${path}`, 'closed', 'success')).status).toBe(404)
    }
    expect((await p.row()).state).toBe('wait_receipt')
    const { body } = await d.call(`/${path}`)
    expect((await p.row()).state).toBe('receipt')
    const deployment = body['deployment'] as {
      chunks: { artifacts: { filename: string; size: number; hashes: object; _links: Links }[] }[]
    }
    const artifact = deployment.chunks[0]!.artifacts[0]!
    const bytes = swuOf(p.version.os_version)
    const digestOf = (name: string) => createHash(name).update(bytes).digest('hex')
    expect(artifact).toMatchObject({
      filename: 'till.swu',
      size: bytes.length,
      hashes: { sha1: digestOf('sha1'), md5: digestOf('md5'), sha256: digestOf('sha256') },
    })
    const part = await fetch(artifact._links['download']!.href, {
      headers: { range: 'bytes=0-5', authorization: d.auth },
    })
    expect([part.status, await part.text()]).toEqual([206, '070701'])
    const states: string[] = []
    for (const [execution, finished] of [
      ['download'],
      ['downloaded'],
      ['proceeding'],
      ['download'],
      ['closed', 'success'],
    ]) {
      expect((await d.feedback(`/${path}`, execution!, finished)).status).toBe(200)
      states.push((await p.row()).state)
    }
    expect(states).toEqual(['downloading', 'downloaded', 'executing', 'executing', 'completed'])
    expect(await d.row()).toMatchObject(p.version)
    // It is over, and the device is told so.
    expect((await d.call(`/${path}`)).status).toBe(410)
    expect((await d.feedback(`/${path}`, 'closed', 'failure')).status).toBe(410)
    expect((await p.row()).state).toBe('completed')
  })
  it('cancels what was not read at once, and asks the device for the rest', async () => {
    const d = await device()
    const { kid } = (await d.row())!
    const cancel = async (push_task_kid: string) => w.customers[0]!.pushTask.cancel({ push_task_kid })
    const unread = await push(kid)
    const path = pathOf((await d.links())['deploymentBase'])
    await cancel(unread.kid)
    expect(await d.links()).toEqual({})
    expect((await unread.row()).state).toBe('canceled')
    expect((await d.call(`/${path}`)).status).toBe(410)
    for (const [said, state] of [
      ['rejected', 'completed'],
      ['closed', 'canceled'],
    ] as const) {
      const p = await push(kid)
      const at_work = pathOf((await d.links())['deploymentBase'])
      await d.call(`/${at_work}`)
      await d.feedback(`/${at_work}`, 'proceeding')
      const stop = at_work.replace('deploymentBase', 'cancelAction')
      expect((await d.call(`/${stop}`)).status).toBe(404)
      await cancel(p.kid)
      const asked = await until('the device to be asked', async () => (await d.links())['cancelAction'])
      expect(pathOf(asked)).toBe(stop)
      const id = at_work.split('/')[1]
      expect((await d.call(`/${stop}`)).body).toEqual({ id, cancelAction: { stopId: id } })
      expect((await d.call(`/${at_work}`)).status).toBe(404)
      await d.feedback(`/${stop}`, said, 'success')
      if (said === 'rejected') await d.feedback(`/${at_work}`, 'closed', 'success')
      expect((await p.row()).state).toBe(state)
    }
    // SWUpdate closes well what it has not begun when it sees that it is canceled.
    const skipped = await push(kid)
    const unbegun = pathOf((await d.links())['deploymentBase'])
    await d.call(`/${unbegun}`)
    await cancel(skipped.kid)
    await until('the device to see it', async () => (await d.links())['cancelAction'])
    await d.feedback(`/${unbegun}`, 'closed', 'success')
    expect((await skipped.row()).state).toBe('canceled')
  })

  it('asks its user first where the push does', async () => {
    const d = await device()
    const p = await push((await d.row())!.kid, { conditions: { install_prompt: true } })
    const path = pathOf((await d.links())['confirmationBase'])
    const unasked = path.replace('confirmationBase', 'deploymentBase')
    expect((await d.call(`/${unasked}`)).status).toBe(404)
    expect((await d.call(`/${path}`)).body['confirmation']).toMatchObject({ chunks: [{ part: 'os' }] })
    expect(await p.row()).toMatchObject({ state: 'wait_execute' })
    const say = async (confirmation: string) =>
      (await d.call(`/${path}/feedback`, { method: 'POST', json: { confirmation } })).status
    expect([await say('perhaps'), await say('denied')]).toEqual([400, 200])
    expect(pathOf((await d.links())['confirmationBase'])).toBe(path)
    expect(await say('confirmed')).toBe(200)
    expect(pathOf((await d.links())['deploymentBase'])).toBe(unasked)
    expect(await say('confirmed')).toBe(409)
    expect((await d.call(`/${unasked}`)).body['deployment']).toMatchObject({ update: 'forced' })
  })

  it('fails where it must, and says why', async () => {
    const d = await device()
    const { kid } = (await d.row())!
    const window = await push(kid, { conditions: { window: { from: '02:00', to: '04:00' } } })
    await d.links()
    expect(await window.row()).toMatchObject({ state: 'failed', message: 'The agent does not tell its time zone' })
    const p = await push(kid)
    const path = pathOf((await d.links())['deploymentBase'])
    await d.feedback(`/${path}`, 'closed', 'failure', { code: 7, details: ['no room'] })
    expect(await p.row()).toMatchObject({ state: 'failed', code: 'update_failed', message: '7: no room' })
    const message = { type: 'message' as const, payload: { title: 'a', text: 'b' }, terminal_kids: [kid] }
    await expect(w.customers[0]!.pushTask.insert(message)).rejects.toThrow()
  })

  it('gives a code that counts once to the device that it registers: nobody else speaks for that device', async () => {
    const { account_kid } = w.seed.customers[0]!
    const once = async () => code(account_kid, { is_permanent: false, expires_at: later })
    const [own, id] = [await once(), `OWN-${++made}`]
    const at = `/default/controller/v1/${id}`
    const status = async (auth: string, path = at) => (await ask(path, auth)).status
    // Calls that race, and the code when it has long been purged.
    expect(await Promise.all([status(`TargetToken ${own}`), status(`TargetToken ${own}`)])).toEqual([200, 200])
    await w.server.deps.db.deleteFrom('qrcode').where('token_hash', '=', digest(own)).execute()
    expect(await status(`TargetToken ${own}`)).toBe(200)
    expect(await status(`TargetToken ${own}`, `${at}-other`)).toBe(401)
    for (const auth of [`GatewayToken ${token}`, `GatewayToken ${own}`, `TargetToken ${token}`])
      expect(await status(auth)).toBe(401)
    // One that came by a token of many gets its own; the next one takes the place of the last.
    const d = await device()
    const { kid } = (await d.row())!
    const [first, second] = [await once(), await once()]
    expect(await status(`TargetToken ${first}`, d.at)).toBe(200)
    expect(await status(d.auth, d.at)).toBe(401)
    expect(await status(`TargetToken ${second}`, d.at)).toBe(200)
    expect(await status(`TargetToken ${first}`, d.at)).toBe(401)
    expect((await d.row())!.kid).toBe(kid)
    const strange = await code(await addAccount(w.server.deps as never), { is_permanent: false, expires_at: later })
    expect(await status(`TargetToken ${strange}`, d.at)).toBe(200)
    expect(await status(`TargetToken ${second}`, d.at)).toBe(200)
  })

  it('tells what it installed last, and takes what somebody installed at the device', async () => {
    const d = await device()
    const { kid } = (await d.row())!
    const { version } = await push(kid)
    const path = pathOf((await d.links())['deploymentBase'])
    await d.call(`/${path}`)
    await d.feedback(`/${path}`, 'closed', 'success')
    const { installedBase } = await d.links()
    const told = await d.call(installedBase!.href)
    expect(told.body).toMatchObject({ deployment: { chunks: [{ version: version.os_version }] } })
    expect((await d.call('/installedBase/999')).status).toBe(404)
    const put = async (json: unknown) => (await d.call('/installedBase', { method: 'PUT', json })).status
    expect(await put({ name: 'till' })).toBe(400)
    expect(await put({ name: 'till', version: '9.00.77' })).toBe(200)
    expect(await d.row()).toMatchObject({ os_version: '9.00.77' })
    expect(await d.links()).toEqual({})
  })

  it('takes whatever is said to it, and keeps little of it', async () => {
    const d = await device()
    const put = async (body: string, type = 'application/json') =>
      (await d.call('/configData', { method: 'PUT', body, headers: { 'content-type': type } })).status
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`k${at}`, 'x'.repeat(40)]))
    expect(await put('{')).toBe(200)
    expect(await put('['.repeat(100_000))).toBe(200)
    expect(await put(JSON.stringify({ data: many }).slice(0, 200_000))).toBe(200)
    expect(await put(JSON.stringify({ data: { uid: 'y'.repeat(300_000) } }))).toBe(413)
    expect(
      await put(
        JSON.stringify({ data: { uid: `${'y'.repeat(300)}`, ver: '1e9', version_code: {}, a: '\ud800', '\0': '\0' } }),
      ),
    ).toBe(200)
    expect(await put('x', 'text/plain')).toBe(415)
    expect(await d.row()).toMatchObject({ uid: 'y'.repeat(64), ver: null })
    for (const path of [
      '/deploymentBase/0',
      '/deploymentBase/-1',
      '/deploymentBase/99999999999',
      '/deploymentBase/1e1',
      '/cancelAction/x',
    ])
      expect((await d.call(path)).status).toBe(404)
    const long = await ask(`/default/controller/v1/${'i'.repeat(129)}`, d.auth)
    expect(long).toMatchObject({
      status: 400,
      body: { errorCode: 'bad_id', message: 'The id of a device is a text of at most 128 characters' },
    })
    expect((await ask(`/default/controller/v1/${'i'.repeat(120)}`, d.auth)).status).toBe(200)
    // No route takes a part as long as that; where the console is served, its pages are asked for it first.
    expect([400, 404]).toContain((await ask(`/default/controller/v1/${'i'.repeat(5_000)}`, d.auth)).status)
    expect([400, 401]).toContain((await ask('/default/controller/v1/%00', d.auth)).status)
    const { kept } = await w.server.deps.db
      .selectFrom('terminal_agent')
      .select('kept')
      .where('terminal_kid', '=', (await d.row())!.kid)
      .executeTakeFirstOrThrow()
    expect(JSON.stringify(kept).length).toBeLessThan(30_000)
    const replies = await Promise.all(Array.from({ length: 200 }, () => d.call()))
    expect(replies.some(({ status }) => status === 429)).toBe(true)
    expect(replies.every(({ status }) => status === 200 || status === 429)).toBe(true)
  })
})
