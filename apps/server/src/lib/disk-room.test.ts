import { existsSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DatabaseError, isDiskFull, isUnavailable } from './database-errors.ts'
import { Refusal } from '../refusal.ts'
import { asUnavailable } from '../http/refusals.ts'
import { fleet } from '../testing/fleet.ts'
import type { Fleet } from '../testing/fleet.ts'
import { hasReserve, hasRoomToStart } from './disk-reserve.ts'
import { assertDisk, diskIsFull, watchDisk } from './disk-room.ts'

const mib = 1024 ** 2
let f: Fleet
beforeAll(async () => void (f = await fleet(2)))
afterAll(() => f.close())

it.each([
  ['of a file', Object.assign(new Error('write'), { code: 'ENOSPC' })],
  ['of a quota', Object.assign(new Error('write'), { code: 'EDQUOT' })],
  ['of PostgreSQL', new DatabaseError('53100', 'could not extend file')],
  ['of a library', new Error('could not write: ENOSPC: no space left on device')],
  ['of its cause', new Error('upload failed', { cause: Object.assign(new Error('x'), { code: 'ENOSPC' }) })],
])('the refusal of a full disk names it: %s', (_, error) => {
  expect([isDiskFull(error), isUnavailable(error)]).toEqual([true, true])
  const refusal = asUnavailable({ ...f.deps, isUnavailable }, error, {})
  expect(refusal).toBeInstanceOf(Refusal)
  expect(refusal!.refusal).toBe('disk_full')
})

it.each(['53000', '53200', '53300', '53400', '57P01', '57P02', '57P03', '08000', '08003', '08006'])(
  '%s passes by itself',
  (code) => {
    const error = new DatabaseError(code, 'x')
    expect([isDiskFull(error), isUnavailable(error)]).toEqual([false, true])
  },
)

it('a reserve is kept, given up when the disk is full, and kept again when there is room', async () => {
  let free = 1_000 * mib
  const { data } = f.deps.config
  const room = watchDisk(f.deps, { free: async () => free, settle_ms: 0 })
  const kid = f.kids[0]!
  const said = () => f.edge.callbacks.inbound(kid, 'state', Buffer.from(JSON.stringify(state)))
  const state = { seq: 1, device_time: f.deps.clock.now().toISOString() }
  try {
    await room.look()
    await room.look()
    expect([await hasReserve(data), diskIsFull(f.deps)]).toEqual([true, false])
    free = 5 * mib
    await room.look()
    expect([await hasReserve(data), diskIsFull(f.deps)]).toEqual([false, true])
    expect(() => assertDisk(f.deps)).toThrow('disk_full')
    // Not acknowledged, so that the device keeps it.
    await expect(said()).rejects.toThrow('disk_full')
    free = 40 * mib
    await room.look()
    // What the reserve left is not room.
    expect(diskIsFull(f.deps)).toBe(true)
    free = 100 * mib
    await room.look()
    expect([await hasReserve(data), diskIsFull(f.deps)]).toEqual([true, false])
    await said()
  } finally {
    await room.close()
  }
  expect(diskIsFull(f.deps)).toBe(false)
  expect(await hasRoomToStart(data, false, async () => 20 * mib)).toBe(true)
  const left = [5 * mib, 37 * mib]
  expect(await hasRoomToStart(data, false, async () => left.shift()!)).toBe(true)
  expect(existsSync(`${data}/reserve`)).toBe(false)
  expect(await hasRoomToStart(data, true, async () => 50 * mib)).toBe(false)
})
