import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { addUid } from '@mdm/server/testing/os-versions.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { releaseOs } from '../os-release.ts'
import { until } from '../until.ts'
import { world } from '../world.ts'
import type { World } from '../world.ts'
import { swupdate_missing, swupdateMachine } from './swupdate.ts'

const uid = 'NM11602S1E0ENGEN0001'

describe.skipIf(swupdate_missing)(`Debian's SWUpdate (${swupdate_missing ?? 'installed'})`, () => {
  let w: World
  let uid_kid: string
  let token: string
  let ver = 1
  beforeAll(async () => {
    w = await world({ env: { MDM_GATEWAY_HAWKBIT: 'true', MDM_HAWKBIT_POLL_SECONDS: '5' } })
    uid_kid = await addUid(w.server.deps, uid)
    const code = await w.customers[0]!.terminalQrcode.qrcode_forever_registered({ host: w.url })
    token = new URL(code.token_url).searchParams.get('qr')!
  })
  afterAll(() => w[Symbol.asyncDispose]())

  const machine = (id: string) => swupdateMachine({ server: w.url, id, attributes: { uid, os_version: '9.00.1' } })
  const terminal = (sn: string) =>
    w.server.deps.db.selectFrom('terminal').selectAll().where('sn', '=', sn).executeTakeFirst()
  /** Its device, once it has said what it is. */
  const joined = (sn: string) =>
    until('the device to join', async () => {
      const row = await terminal(sn)
      return row?.os_version === '9.00.1' ? row : undefined
    })
  const pushed = async (terminal_kid: string, bytes: Buffer) => {
    ver += 1
    const version = { os_version: `9.00.${ver}`, version_code: ver, ver: ver * 10 }
    const os_version_kid = await releaseOs(w.operator, { uid_kid, uid, version, file: { name: 'till.swu', bytes } })
    const { kid } = await w.customers[0]!.pushTask.insert({
      type: 'os',
      payload: { os_version_kid },
      terminal_kids: [terminal_kid],
    })
    const row = () =>
      w.server.deps.db
        .selectFrom('push_task_terminal')
        .selectAll()
        .where('push_task_kid', '=', kid)
        .executeTakeFirstOrThrow()
    const reaches = (state: string) =>
      until(`the push to be ${state}`, async () => {
        const now = await row()
        if (['completed', 'failed', 'canceled'].includes(now.state)) expect(now).toMatchObject({ state })
        return now.state === state ? now : undefined
      })
    return { kid, version, row, reaches }
  }

  it('joins by its gateway token, writes what is pushed, and has it confirmed after its restart', async () => {
    await using m = await machine('TILL-1')
    const first = m.start(`-g ${token}`)
    const { kid, agent_kind, uid: said } = await joined('TILL-1')
    expect({ agent_kind, said }).toEqual({ agent_kind: 'hawkbit', said: uid })
    const push = await pushed(kid, m.image('the new till'))
    await until(
      'the file to be written',
      () => existsSync(m.target) && readFileSync(m.target, 'utf8') === 'the new till',
    )
    await push.reaches('executing')
    await first.stop()
    m.start(`-g ${token}`, { confirm: 2 })
    await push.reaches('completed')
    expect(await terminal('TILL-1')).toMatchObject(push.version)
  })

  it('fails where its image is not what was signed', async () => {
    await using m = await machine('TILL-2')
    m.start(`-g ${token}`)
    const { kid } = await joined('TILL-2')
    const push = await pushed(kid, m.image('damaged', { broken: true }))
    expect((await push.reaches('failed')).code).toBe('update_failed')
    expect(existsSync(m.target)).toBe(false)
  })

  it('stops downloading what is canceled', async () => {
    await using m = await machine('TILL-3')
    m.start(`-g ${token}`, { slow: true })
    const { kid } = await joined('TILL-3')
    const push = await pushed(kid, m.image(randomBytes(3_000_000).toString('base64')))
    await until('the push to be read', async () => (await push.row()).state !== 'wait_receipt')
    await w.customers[0]!.pushTask.cancel({ push_task_kid: push.kid })
    await push.reaches('canceled')
    expect(existsSync(m.target)).toBe(false)
  })
})
