import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DatabaseError, isDatabaseDiskFull } from './database-errors.ts'
import { assertDisk, diskIsFull, ranOutOfDisk, watchDisk } from './disk-room.ts'
import { postgres_missing } from '../testing/postgres.ts'
import { openDeps } from '../testing/devices.ts'
import type { TestDeps } from '../testing/deps.ts'
import { keepDatabaseReserve } from './database-reserve.ts'

const mib = 1024 ** 2
const no_room = new DatabaseError('53100', 'could not extend file')

it.skipIf(postgres_missing)(
  postgres_missing ? `left out: ${postgres_missing}` : 'only PostgreSQL itself tells that its disk is full',
  async () => {
    expect(isDatabaseDiskFull(new Error('insert failed', { cause: no_room }))).toBe(true)
    expect(isDatabaseDiskFull(Object.assign(new Error('write'), { code: 'ENOSPC' }))).toBe(false)
  },
)

// With two servers, as far as the database knows.
let deps: TestDeps
beforeAll(async () => {
  if (!postgres_missing) deps = await openDeps('postgres')
})
afterAll(() => deps?.close())
const size = async () => {
  const { rows } = await sql<{ bytes: number | null }>`
    SELECT pg_relation_size(to_regclass('disk_reserve'))::integer AS bytes
  `.execute(deps.db)
  return rows[0]!.bytes ?? 0
}

it.skipIf(postgres_missing)(
  postgres_missing
    ? `left out: ${postgres_missing}`
    : 'a reserve is made once, given up at the first failure, made again',
  async () => {
    const [one, other] = [1, 2].map(() => keepDatabaseReserve(deps, { settle_ms: 1e9 })) as [Reserve, Reserve]
    try {
      await Promise.all([one.look(), other.look()])
      expect(await size()).toBeGreaterThanOrEqual(32 * mib)
      expect([one.isFull(), other.isFull()]).toEqual([false, false])
      await one.ranOut()
      expect([one.isFull(), await size()]).toEqual([true, 0])
      // There is room in truth, so that the next look finds it, whoever looks.
      await other.look()
      expect(await size()).toBeGreaterThanOrEqual(32 * mib)
      await one.look()
      expect([one.isFull(), other.isFull()]).toEqual([false, false])
    } finally {
      await Promise.all([one.close(), other.close()])
    }
  },
)
type Reserve = ReturnType<typeof keepDatabaseReserve>

it.skipIf(postgres_missing)(
  postgres_missing
    ? `left out: ${postgres_missing}`
    : 'a statement that failed for want of room refuses what would store more',
  async () => {
    const room = watchDisk(deps, { free: async () => 1_000 * mib, settle_ms: 1e9 })
    try {
      ranOutOfDisk(deps, Object.assign(new Error('write'), { code: 'ENOSPC' }))
      expect(diskIsFull(deps)).toBe(false)
      ranOutOfDisk(deps, no_room)
      expect(() => assertDisk(deps)).toThrow('disk_full')
    } finally {
      await room.close()
    }
    expect(await size()).toBe(0)
  },
)

it.skipIf(postgres_missing)(
  postgres_missing ? `left out: ${postgres_missing}` : 'a server that may make no tables is not full for ever',
  async () => {
    const forbidden = new Proxy(deps.db, {
      get(target, name) {
        const found: unknown = Reflect.get(target, name)
        if (name !== 'transaction') return typeof found === 'function' ? found.bind(target) : found
        return () => ({
          execute: () => Promise.reject(new DatabaseError('42501', 'permission denied for schema public')),
        })
      },
    })
    const reserve = keepDatabaseReserve({ ...deps, db: forbidden }, { settle_ms: 1e9 })
    await reserve.ranOut()
    expect(reserve.isFull()).toBe(true)
    await reserve.look()
    expect(reserve.isFull()).toBe(false)
    await reserve.close()
  },
)
