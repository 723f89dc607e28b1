import { errors } from '@mdm/contract'
import type { Call } from '@mdm/contract'
import { hasReserve } from '@mdm/server/lib/disk-reserve.ts'
import { diskIsFull } from '@mdm/server/lib/disk-room.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { watchRows } from '../sweeps/changes.ts'
import type { Changes } from '../sweeps/changes.ts'
import { everyCall, is, makeThings, validInput } from '../sweeps/features.ts'
import type { Things } from '../sweeps/feature.ts'
import { confirmPasswords } from '../sweeps/stage.ts'
import { until } from '../until.ts'
import { world } from '../world.ts'
import type { World } from '../world.ts'
import { cannot_mount, fill, smallDisk, unmountDisks, withFolders } from './small-disk.ts'

const { result, status } = errors.disk_full
const writes = everyCall.filter((call) => call.effect === 'write')
/** What signs out comes last. */
const going_on = writes
  .filter((call) => call.works_on_full_disk)
  .toSorted((a, b) => Number(is('ends_session', a)) - Number(is('ends_session', b)))
const stopped = writes.filter((call) => !call.works_on_full_disk)

describe.skipIf(cannot_mount !== '')(`on a full disk${cannot_mount}`, () => {
  let w: World
  let mine: Things
  let changes: Changes[]

  beforeAll(async () => {
    const disk = smallDisk(400)!
    w = await withFolders(disk, () => world())
    await confirmPasswords(w)
    mine = await makeThings(w, 0)
    changes = [
      await watchRows(w, mine),
      await watchRows(w, { ...mine, account_kid: w.seed.operator.account_kid, user_kid: w.seed.operator.user_kid }),
    ]
    const { deps } = w.server
    // Given up on the full disk: what goes on lives on it.
    await until('the reserve', () => hasReserve(deps.config.data))
    fill(disk)
    await until('the server to see it', async () => diskIsFull(deps))
  })
  afterAll(async () => {
    await w[Symbol.asyncDispose]()
    unmountDisks()
  })

  const send = (call: Call) =>
    (call.scope === 'ops' ? w.operator : w.customers[0]!).try_(call, validInput(mine, call.path))
  const changed = async () => (await Promise.all(changes.map((of) => of()))).flat()

  test.each(stopped)('$path is refused before anything is done', async (call) => {
    await changed()
    expect(await send(call)).toMatchObject({ result, status })
    expect(await changed()).toEqual([])
  })

  test.each(going_on)('$path goes on', async (call) => {
    const reply = await send(call)
    expect(reply.result).not.toBe(result)
    expect(reply.status).toBeLessThan(500)
  })
})
