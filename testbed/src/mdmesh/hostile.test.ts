import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addAccount } from '@mdm/server/testing/devices.ts'
import type { Command, MdmeshAgent } from './agent.ts'
import { gatewayWorld } from './gateway-world.ts'
import type { GatewayWorld } from './gateway-world.ts'

describe('a hostile agent, or none at all, at the gateway for MDMesh', () => {
  let w: GatewayWorld
  beforeAll(async () => void (w = await gatewayWorld()))
  afterAll(() => w.close())
  const post = async (path: string, body: string, secret?: string) => {
    const reply = await fetch(`${w.http.url}/rest/public/agent/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(secret && { authorization: `Bearer ${secret}` }) },
      body,
    })
    const said = (await reply.json()) as { status: string; message: string }
    return `${reply.status} ${said.status} ${said.message}`
  }
  const refused = '200 ERROR error.agent.unauthorized'
  /** What it is handed, without doing it. */
  const handed = async (a: MdmeshAgent): Promise<Command[]> =>
    ((await a.post('checkin', a.body(), { authorization: `Bearer ${a.secret}` })) as { commands: Command[] }).commands

  it('says ids that are none, or of others, with a secret of its own', async () => {
    const a = await w.joined()
    const other = await addAccount(w.deps)
    const foreign = w.agent({ token: (await w.code({ account_kid: other })).token })
    await foreign.enrol()
    for (const deviceId of [foreign.id, '', '../../etc', `${a.id}'--`, `${a.id}\0`, [a.id], { kid: a.id }, null, 7])
      expect(await post('checkin', JSON.stringify({ deviceId }), a.secret), String(deviceId)).toBe(refused)
    expect(await post('checkin', JSON.stringify({ deviceId: a.id }))).toBe(refused)
    expect(await post('checkin', JSON.stringify({ deviceId: a.id }), 'x'.repeat(300))).toBe(refused)
  })

  it('nests deeply, says very many values, or too much: it is read as nothing, or not at all', async () => {
    const a = await w.joined()
    for (const body of [
      '['.repeat(1_000_000),
      `{"deviceId":"${a.id}","x":[${'0,'.repeat(1_000_000)}0]}`,
      '{',
      '',
      'null',
      '"x"',
    ])
      expect(await post('checkin', body, a.secret)).toMatch(/^(200 ERROR error\.agent\.unauthorized|400 )/)
    expect(await post('enroll', '['.repeat(60_000))).toBe('200 ERROR error.agent.token.invalid')
    expect(await post('enroll', JSON.stringify({ enrollToken: 'x'.repeat(100_000) }))).toMatch(/^413 /)
    expect(await post('checkin', JSON.stringify({ deviceId: a.id, x: 'x'.repeat(5_000_000) }), a.secret)).toMatch(
      /^413 /,
    )
    expect(w.http.internal_errors).toEqual([])
    await w.later(a)
  })

  it('cannot answer what another device was asked', async () => {
    const [a, thief] = [await w.joined(), await w.joined()]
    const commands: Command[] = []
    await a.connect(async () => commands.push(...(await handed(a))))
    const asked = w.link.request(a.id!, 'app_list', {}, 20_000)
    await expect
      .poll(() => commands.map(({ commandId }) => commandId))
      .toContainEqual(expect.stringContaining('request.app_list.'))
    const { commandId } = commands.find((each) => each.commandId.startsWith('request.app_list.'))!
    const result = {
      commandId,
      status: 'done',
      detail: JSON.stringify({ apps: [{ pkg: 'com.evil' }] }),
      completedAt: '',
    }
    await thief.checkIn({ more: { results: [result] } })
    await a.checkIn({ more: { results: [{ ...result, detail: JSON.stringify({ apps: [{ pkg: 'com.mine' }] }) }] } })
    expect(await asked).toMatchObject({ items: [{ package: 'com.mine' }] })
    a.disconnect()
  })

  it('replays an enrolment: the code of another account, a used and a revoked one give nothing', async () => {
    const once = await w.code({ is_permanent: false, expires_at: new Date(w.deps.clock.now().getTime() + 60_000) })
    const a = w.agent({ token: once.token })
    await a.enrol()
    await a.checkIn()
    await w.deps.clock.advance(3_600_000, 30_000)
    const replayed = w.agent({ token: once.token, hardware_id: a.hardware_id })
    await expect(replayed.enrol()).rejects.toThrow('error.agent.token.invalid')
    const other = await addAccount(w.deps)
    const stranger = w.agent({ token: (await w.code({ account_kid: other })).token, hardware_id: a.hardware_id })
    await stranger.enrol()
    expect(stranger.id).not.toBe(a.id)
    await a.checkIn()
  })

  it('guesses secrets: its large bodies are not read any more, and devices at its address go on', async () => {
    const a = await w.joined()
    const large = JSON.stringify({ deviceId: a.id, x: 'x'.repeat(100_000) })
    for (let i = 0; i < 120; i += 1) await post('checkin', JSON.stringify({ deviceId: a.id }), `guess-${i}`)
    expect(await post('checkin', large, 'guess')).toMatch(/^429 /)
    expect(await post('checkin', JSON.stringify({ deviceId: a.id }), a.secret)).toMatch(/^200 OK/)
    await w.deps.clock.advance(120_000)
    expect(await post('checkin', large, a.secret)).toMatch(/^200 OK/)
  })
})
