import { newKid } from '../../lib/ids.ts'
import type { Down, Up } from '@mdm/device-link'
import { beforeEach, describe, expect, it } from 'vitest'
import { idOf, nextOf, takeCancel, takeLog, takeStatus, takeTask } from './deployments.ts'
import type { Kept, Turn } from './deployments.ts'
import { inventoryOf, readAttributes, stateOf, versionIn } from './inventory.ts'

const now = Date.UTC(2026, 0, 5)
let said: Up['task'][]
let kept: Kept
let turn: Turn
beforeEach(() => {
  said = []
  kept = { open: [], ended: [], attributes: { device_type: 'till', artifact_name: 'till-1.0.0' } }
  turn = { now, kept, origin: 'https://mdm.example', say: () => {}, report: (body) => void said.push(body) }
})
const states = () => said.map(({ state }) => state)

const digests = { md5: 'a'.repeat(32), sha256: 'b'.repeat(64) }
const packed = { name: 'till.mender', size: 1, ...digests, format: 'mender', from: null }
function task(more: object = {}, packages: object[] = [{ ...packed, said_version: 'till-2.0.0', hardware: ['till'] }]) {
  const manifest = JSON.stringify({
    ...{ format: 'mdm-os-1', uid: 'TILL', from_uids: ['TILL'] },
    ...{ os_version: '2.0.0', version_code: 2, ver: 2, packages },
  })
  const payload = { manifest, urls: packages.map((_, at) => `/files/${at}`) }
  const expires_at = new Date(now + 60_000).toISOString()
  return {
    task_kid: newKid(),
    attempt: 1,
    version: 0,
    expires_at,
    type: 'os',
    payload,
    ...more,
  } as unknown as Down['task']
}
function taken(more: object = {}) {
  const made = task(more)
  takeTask(turn, made)
  return { ...made, id: idOf(made) }
}

describe('a push of an OS version', () => {
  it('is a deployment of its artifact, which is offered until it begins', () => {
    const { id } = taken()
    expect(states()).toEqual(['receipt'])
    const artifact = { url: 'https://mdm.example/files/0', artifact_name: 'till-2.0.0', device_types: ['till'] }
    for (let n = 0; n < 2; n += 1) expect(nextOf(turn)).toMatchObject({ artifact })
    expect(idOf(nextOf(turn)!)).toBe(id)
    expect(states()).toEqual(['receipt'])
  })

  it('is of the package that a client can take, and of what the version says where the artifact is silent', () => {
    takeTask(turn, task({}, [{ ...packed, format: undefined }, packed]))
    expect(kept.open[0]!.artifact).toEqual({
      url: 'https://mdm.example/files/1',
      artifact_name: '2.0.0',
      device_types: ['till'],
    })
  })

  it.each([
    ['has no artifact', () => task({}, [{ ...packed, format: 'swu' }])],
    ['asks the user', () => task({ install_prompt: true })],
    ['has a window', () => task({ window: { from: '01:00', to: '02:00' } })],
    ['waits for Wi-Fi', () => task({ network: 'wifi' })],
    ['is another kind', () => task({ type: 'restart', payload: {} })],
  ])('fails at once where it %s', (_, make) => {
    takeTask(turn, make())
    expect(said).toMatchObject([{ state: 'failed', code: expect.any(String), message: expect.any(String) }])
    expect(nextOf(turn)).toBeUndefined()
  })

  it('goes through its states, none of them twice or backwards', () => {
    const { id } = taken()
    const words = [
      'downloading',
      'downloading',
      'pause_before_installing',
      'installing',
      'downloading',
      'rebooting',
      'what',
    ]
    for (const word of words) expect(takeStatus(turn, id, word, undefined)).toBe(true)
    expect(takeStatus(turn, id, 'success', undefined)).toBe(true)
    expect(states()).toEqual(['receipt', 'downloading', 'downloaded', 'executing', 'completed'])
    // What it runs is told before it is said to be done.
    expect(inventoryOf(kept).os_version).toBe('2.0.0')
  })

  it('is no conflict when its end is said again', () => {
    const { id } = taken()
    for (let n = 0; n < 2; n += 1) expect(takeStatus(turn, id, 'success', undefined)).toBe(true)
    expect(states()).toEqual(['receipt', 'completed'])
  })

  it('of which nobody knows is a conflict', () => {
    expect(takeStatus(turn, `${newKid()}.1`, 'installing', undefined)).toBe(false)
  })

  it('that failed says why by the log that follows, of which the end is kept', () => {
    const { id } = taken()
    takeStatus(turn, id, 'failure', undefined)
    expect(states()).toEqual(['receipt'])
    const line = (level: string, message: string) => ({ timestamp: '2026-01-05T00:00:00Z', level, message })
    const many = Array.from({ length: 900 }, (_, n) => line('info', `step ${n}`))
    takeLog(turn, id, { messages: [...many, line('error', 'disk full'), line('info', 'bye'), null, 7] })
    expect(said.at(-1)).toMatchObject({ state: 'failed', code: 'command_failed', message: 'disk full' })
    const { text } = said.at(-1)!.result!
    expect(text!.length).toBe(4_000)
    expect(text).toMatch(/step 899\n.* error disk full\n.* info bye$/)
    takeLog(turn, id, { messages: [line('error', 'again')] })
    expect(said).toHaveLength(2)
  })

  it('that failed without a log has failed by the next question', () => {
    const { id } = taken()
    const { id: later } = taken()
    takeStatus(turn, id, 'failure', undefined)
    expect(idOf(nextOf(turn)!)).toBe(later)
    expect(said.at(-1)).toMatchObject({ state: 'failed', code: 'command_failed' })
  })

  it('that has expired is not offered, unless it has begun', () => {
    const [{ id: begun }] = [taken(), taken()]
    takeStatus(turn, begun, 'downloading', undefined)
    turn.now = now + 120_000
    expect(idOf(nextOf(turn)!)).toBe(begun)
    takeStatus(turn, begun, 'success', undefined)
    expect(nextOf(turn)).toBeUndefined()
    expect(said.at(-1)).toMatchObject({ state: 'failed', code: 'expired' })
  })

  it('that is canceled is a conflict from then on, and is not offered', () => {
    const made = taken()
    takeStatus(turn, made.id, 'downloading', undefined)
    takeCancel(turn, made)
    expect(states()).toEqual(['receipt', 'downloading', 'canceled'])
    for (let n = 0; n < 2; n += 1) expect(takeStatus(turn, made.id, 'installing', undefined)).toBe(false)
    expect(nextOf(turn)).toBeUndefined()
  })

  it('that is being installed goes on when it is canceled', () => {
    const made = taken()
    takeStatus(turn, made.id, 'installing', undefined)
    takeCancel(turn, made)
    expect(takeStatus(turn, made.id, 'success', undefined)).toBe(true)
    expect(states()).toEqual(['receipt', 'executing', 'completed'])
  })

  it('takes the place of an earlier attempt, and is told again as it is', () => {
    const made = taken()
    takeTask(turn, made)
    takeTask(turn, { ...made, attempt: 2 })
    expect(kept.open.map(idOf)).toEqual([`${made.task_kid}.2`])
    expect(takeStatus(turn, made.id, 'installing', undefined)).toBe(false)
  })
})

describe('what a client says of itself', () => {
  it.each([
    ['till-1.4.0', '1.4.0'],
    ['9.00.123_CD01', '9.00.123_CD01'],
    ['till 2.0.0.7 beta', '2.0.0.7'],
    ['release-1', '0.0.0_release1'],
    ['unknown', '0.0.0_unknown'],
    ['…', '0.0.0_unknown'],
  ])('is a version in the name %s', (name, version) => {
    expect(versionIn(name)).toBe(version)
  })

  it.each([
    [null],
    ['text'],
    [[null, 7, {}, { name: 1, value: 2 }, { name: '__proto__', value: 'x' }]],
    [{ name: 'os' }],
  ])('is nothing where it is %j', (body) => {
    expect(readAttributes(body)).toEqual({})
    expect(stateOf(readAttributes(body))).toEqual({})
  })

  it('has an end', () => {
    const addresses = Array.from({ length: 500 }, (_, n) => ({ name: `ipv4_eth${n}`, value: '10.0.0.1/24' }))
    const found = readAttributes([...addresses, { name: 'hostname', value: 'h'.repeat(10_000) }])
    expect(Object.keys(found).length).toBeLessThan(20)
    expect(found['hostname']!.length).toBe(200)
  })

  it('is the kind of its network and its memory', () => {
    const said_here = readAttributes([
      { name: 'ipv4_wlan0', value: ['10.0.0.7/24'] },
      { name: 'mem_total_kB', value: '2048' },
    ])
    const network = { type: 'wifi', internal_ip: '10.0.0.7' }
    expect(stateOf(said_here)).toEqual({ network, run: { memory_total: 2_097_152 } })
  })
})
