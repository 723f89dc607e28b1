import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Database } from './client.ts'
import { as, item_migrations, memoryLog, places } from '../testing/database.ts'
import type { ItemTables, Place } from '../testing/database.ts'
import { postgres_missing } from '../testing/postgres.ts'
import { migrations } from './schema/migrations/index.ts'
import { streamOf } from './pool.ts'

const why = { embedded: undefined, postgres: postgres_missing }

describe.each(['embedded', 'postgres'] as const)('openDatabase on %s', (kind) => {
  describe.skipIf(why[kind])(why[kind] ? `left out: ${why[kind]}` : 'every behaviour that both have', () => {
    let place: Place
    let db: Database
    beforeAll(async () => {
      place = await places[kind]()
      db = await place.open()
    })
    afterAll(async () => {
      await db?.close()
      await place?.remove()
    })
    beforeEach(async () => {
      await as<ItemTables>(db).deleteFrom('item').execute()
    })
    const insert = (name: string, size = 0) =>
      sql`insert into item (name, size) values (${name}, ${size})`.execute(db.kysely)
    const names = async () =>
      (await as<ItemTables>(db).selectFrom('item').select('name').orderBy('name').execute()).map((row) => row.name)

    it('gives bigint as number, timestamptz as Date, jsonb as object, date as text', async () => {
      await sql`insert into item (name, size, facts, born) values ('a', ${9_007_199_254_740_991}, ${JSON.stringify({ a: [1] })}, '2024-02-29')`.execute(
        db.kysely,
      )
      const row = await as<ItemTables>(db).selectFrom('item').selectAll().executeTakeFirstOrThrow()
      expect(row).toMatchObject({ size: 9_007_199_254_740_991, facts: { a: [1] }, born: '2024-02-29' })
      expect(Math.abs(row.made_at.getTime() - Date.now())).toBeLessThan(60_000)
      const counted = await sql`select count(*) as n, array[1::bigint, null] as many from item`.execute(db.kysely)
      expect(counted.rows).toEqual([{ n: 1, many: [1, null] }])
      await expect(sql`select 9007199254740993 as too_big`.execute(db.kysely)).rejects.toThrow(RangeError)
      expect(await names()).toEqual(['a'])
    })

    it('lets transactions of five connections take turns without mixing', async () => {
      await insert('counter')
      await Promise.all(
        Array.from({ length: 5 }, () =>
          db.kysely.transaction().execute(async (trx) => {
            const read = await sql<{ size: number }>`select size from item where name = 'counter' for update`.execute(
              trx,
            )
            await new Promise((done) => setImmediate(done))
            await sql`update item set size = ${(read.rows[0]?.size ?? 0) + 1} where name = 'counter'`.execute(trx)
          }),
        ),
      )
      expect((await as<ItemTables>(db).selectFrom('item').select('size').execute())[0]?.size).toBe(5)
    })

    it('answers 20 queries at once', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => db.pool.query<{ i: number }>('select $1::int as i', [i])),
      )
      expect(answers.map((answer) => answer.rows[0]?.i)).toEqual(Array.from({ length: 20 }, (_, i) => i))
    })

    it('rolls back when the connection drops in the middle of a transaction', async () => {
      const client = await db.pool.connect()
      await client.query('begin')
      await client.query(`insert into item (name) values ('half done')`)
      streamOf(client).destroy(new Error('cable cut'))
      client.release(true)
      await insert('after')
      expect(await names()).toEqual(['after'])
    })

    it('keeps savepoints and rolls a failed transaction back', async () => {
      await db.kysely.transaction().execute(async (trx) => {
        await sql`insert into item (name) values ('kept')`.execute(trx)
        await sql`savepoint s`.execute(trx)
        await sql`insert into item (name) values ('dropped')`.execute(trx)
        await sql`rollback to savepoint s`.execute(trx)
      })
      await expect(
        db.kysely.transaction().execute(async (trx) => {
          await sql`insert into item (name) values ('undone')`.execute(trx)
          throw new Error('no')
        }),
      ).rejects.toThrow('no')
      expect(await names()).toEqual(['kept'])
    })

    it('reports errors with their code and constraint, and goes on', async () => {
      await insert('twice')
      await expect(insert('twice')).rejects.toMatchObject({ code: '23505', constraint: 'item_name_key' })
      await expect(db.pool.query('select * from nowhere')).rejects.toMatchObject({ code: '42P01' })
      await expect(db.pool.query('selec')).rejects.toMatchObject({ code: '42601' })
      expect(await names()).toEqual(['twice'])
    })

    it('reads through a cursor while others wait', async () => {
      await sql`insert into item (name) select 'n' || lpad(g::text, 4, '0') from generate_series(1, 250) g`.execute(
        db.kysely,
      )
      let seen = 0
      const reading = db.kysely.transaction().execute(async (trx) => {
        await sql`declare c cursor for select name from item order by name`.execute(trx)
        for (;;) {
          const { rows } = await sql`fetch 100 from c`.execute(trx)
          if (!rows.length) return
          seen += rows.length
        }
      })
      const [, counted] = await Promise.all([reading, db.pool.query('select count(*) as n from item')])
      expect(seen).toBe(250)
      expect(counted.rows).toEqual([{ n: 250 }])
    })

    it('reads a portal in portions', async () => {
      const client = await db.pool.connect()
      try {
        const { rows } = await client.query({
          text: 'select generate_series(1, $1::int) as n',
          values: [55],
          rows: 10,
        } as never)
        expect(rows).toHaveLength(55)
      } finally {
        client.release()
      }
      expect((await db.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    })

    it('delivers notifications once, after commit, to those who listen', async () => {
      const heard: string[] = []
      const stop = await db.listen('things', (payload) => heard.push(payload))
      await db.notify('things', 'one')
      await db.notify('others', 'not mine')
      await vi.waitFor(() => expect(heard).toEqual(['one']))
      await db.kysely
        .transaction()
        .execute(async (trx) => {
          await sql`select pg_notify('things', 'never')`.execute(trx)
          throw new Error('rolled back')
        })
        .catch(() => {})
      await db.notify('things', 'two')
      await vi.waitFor(() => expect(heard).toEqual(['one', 'two']))
      stop()
      const later = await db.listen('things', () => heard.push('later'))
      await db.notify('things', 'three')
      await vi.waitFor(() => expect(heard).toEqual(['one', 'two', 'later']))
      later()
      await expect(db.notify('things', 'x'.repeat(8_000))).rejects.toThrow('7999')
      await expect(db.listen('no"good', () => {})).rejects.toThrow('channel')
    })

    it('runs exclusive sections of one name one after another, and others beside', async () => {
      let inside = 0
      let most = 0
      const section = async () => {
        inside += 1
        most = Math.max(most, inside)
        await db.pool.query('select 1')
        inside -= 1
      }
      await Promise.all(Array.from({ length: 6 }, () => db.exclusive('one', section)))
      expect(most).toBe(1)
      await expect(db.exclusive('one', () => Promise.reject(new Error('inner')))).rejects.toThrow('inner')
      await db.exclusive('one', () => db.exclusive('two', async () => 'not blocked'))
    })

    it('vacuums', async () => {
      await sql`insert into item (name) select g::text from generate_series(1, 2000) g`.execute(db.kysely)
      const pages = async () =>
        (await db.pool.query<{ bytes: number }>(`select pg_relation_size('item') as bytes`)).rows[0]?.bytes ?? 0
      const before = await pages()
      for (let i = 0; i < 5; i += 1) {
        await sql`update item set size = size + 1`.execute(db.kysely)
        await db.vacuum()
      }
      expect(await pages()).toBeLessThan(before * 3.5)
    })

    it.runIf(kind === 'embedded')('analyses a sample, and only of what has changed', async () => {
      await sql`insert into item (name, size) select g::text, g from generate_series(1, 2000) g`.execute(db.kysely)
      const analysed = async () => {
        await db.pool.query('select pg_stat_force_next_flush()')
        await db.vacuum()
        const { rows } = await db.pool.query<{ n: number }>(
          `select analyze_count::int as n from pg_stat_all_tables where relname = 'item'`,
        )
        return rows[0]!.n
      }
      const before = await analysed()
      await sql`update item set size = size + 1 where size <= 100`.execute(db.kysely)
      expect(await analysed()).toBe(before)
      const { rows } = await db.pool.query(
        `select array_length(histogram_bounds::text::text[], 1) as bounds from pg_stats where tablename = 'item' and attname = 'size'`,
      )
      expect(rows).toEqual([{ bounds: 11 }])
      await sql`update item set size = size + 1`.execute(db.kysely)
      expect(await analysed()).toBe(before + 1)
    })

    it.runIf(kind === 'embedded')('analyses no partition again because another has changed', async () => {
      await sql`create table part (id int) partition by range (id)`.execute(db.kysely)
      await sql`create table part_1 partition of part for values from (0) to (10000)`.execute(db.kysely)
      await sql`create table part_2 partition of part for values from (10000) to (20000)`.execute(db.kysely)
      const counts = async () => {
        await db.pool.query('select pg_stat_force_next_flush()')
        await db.vacuum()
        const { rows } = await db.pool.query<{ n: number }>(
          `select analyze_count::int as n from pg_stat_all_tables where relname like 'part%' order by relname`,
        )
        return rows.map(({ n }) => n)
      }
      await sql`insert into part select g from generate_series(9000, 11000) g`.execute(db.kysely)
      expect(await counts()).toEqual([1, 1, 1])
      await sql`insert into part select g from generate_series(11000, 12000) g`.execute(db.kysely)
      expect(await counts()).toEqual([2, 1, 2])
    })

    it('ends a statement that runs too long, tells the caller so, and goes on', async () => {
      await db.close()
      db = await place.open({ statement_timeout_ms: 1_000 })
      await insert('committed')
      await expect(
        db.pool.query('select count(*) from generate_series(1, 1000000000) a, generate_series(1, 1000000) b'),
      ).rejects.toMatchObject({ code: '57014' })
      await vi.waitFor(async () => expect(await names()).toEqual(['committed']), { interval: 100 })
    })

    it('keeps its data and does not migrate twice; refuses a newer schema, and one of before the first release', async () => {
      await insert('lasting')
      await db.close()
      await expect(place.open({ migrations: {} })).rejects.toThrow(/newer release \(unknown here: 0001_item\)/)
      await expect(place.open({ migrations })).rejects.toMatchObject({
        code: '58030',
        message: expect.stringMatching(
          /made before the first release.*an empty folder for MDM_DATA.*nothing was changed/,
        ),
      })
      const broken = {
        ...item_migrations,
        '0002_broken': {
          up: (b: any) =>
            b.schema
              .createTable('half')
              .addColumn('a', 'text')
              .execute()
              .then(() => Promise.reject(new Error('stop'))),
        },
      }
      await expect(place.open({ migrations: broken })).rejects.toThrow(/0002_broken failed, nothing was changed: stop/)
      const { log, lines } = memoryLog()
      db = await place.open({ log })
      expect(lines.filter((line) => line.message === 'database migrated')).toEqual([])
      expect(await names()).toEqual(['lasting'])
      await expect(db.pool.query('select * from half')).rejects.toMatchObject({ code: '42P01' })
    })
  })
})

describe('openDatabase refuses', () => {
  const options = { migrations: {}, log: memoryLog().log }
  it.each([
    [{}, 'data directory'],
    [{ url: 'mysql://x' }, 'postgres://'],
  ])('%j', async (given, message) => {
    const { openDatabase } = await import('./client.ts')
    await expect(openDatabase({ ...options, ...given })).rejects.toThrow(message)
  })
})
