import { CompiledQuery, sql } from 'kysely'
import type { Kysely } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../client.ts'
import { places } from '../../testing/database.ts'
import type { Place } from '../../testing/database.ts'
import { postgres_missing } from '../../testing/postgres.ts'
import { scoped } from './scope.ts'
import type { ScopeLimits } from './scope.ts'

type Row = { kid: string; account_kid: string; terminal_group_kid: string | null; name: string; size: number }
type Insertable = Partial<Row> & { kid: string; name: string }
type World = { terminal: Row; note: Omit<Row, 'terminal_group_kid'>; brand: { name: string } }

const mine = '00000000-0000-7000-8000-00000000000a'
const theirs = '00000000-0000-7000-8000-00000000000b'
const g1 = '00000000-0000-7000-8000-0000000000c1'
const g2 = '00000000-0000-7000-8000-0000000000c2'
const tables = new Set(['terminal', 'note'])
const why = { embedded: undefined, postgres: postgres_missing }
const refused = { name: 'ScopeError' }

const migrations = {
  '0001_world': {
    async up(db: Kysely<any>) {
      await sql`create table terminal (kid text primary key, account_kid uuid not null, terminal_group_kid uuid, name text not null, size int not null default 0)`.execute(
        db,
      )
      await sql`create index on terminal (account_kid, name)`.execute(db)
      await sql`create table note (kid text primary key, account_kid uuid not null, name text not null, size int not null default 0)`.execute(
        db,
      )
      await sql`create table brand (name text primary key)`.execute(db)
    },
  },
}

describe.each(['embedded', 'postgres'] as const)('tenant scope on %s', (kind) => {
  describe.skipIf(why[kind])(why[kind] ? `left out: ${why[kind]}` : 'every form of statement', () => {
    let place: Place
    let db: Database
    let all: Kysely<World>
    let own: Kysely<World>
    const scope = (limits?: ScopeLimits) => scoped(db.kysely, mine, tables, limits) as unknown as Kysely<World>
    beforeAll(async () => {
      place = await places[kind]()
      db = await place.open({ migrations })
      all = db.kysely as unknown as Kysely<World>
      own = scope()
    })
    afterAll(async () => {
      await db?.close()
      await place?.remove()
    })
    beforeEach(async () => {
      await sql`truncate terminal, note, brand`.execute(all)
      await sql`insert into terminal (kid, account_kid, terminal_group_kid, name) values
        ('m1', ${mine}, ${g1}, 'a'), ('m2', ${mine}, ${g2}, 'b'), ('t1', ${theirs}, ${g1}, 'a'), ('t2', ${theirs}, null, 'z')`.execute(
        all,
      )
      await sql`insert into note (kid, account_kid, name) values ('nm', ${mine}, 'a'), ('nt', ${theirs}, 'b'), ('nt2', ${theirs}, 'z')`.execute(
        all,
      )
      await sql`insert into brand values ('a'), ('b'), ('z')`.execute(all)
    })
    const foreign = async () =>
      (await sql`select * from terminal where account_kid = ${theirs} order by kid`.execute(all)).rows.concat(
        (await sql`select * from note where account_kid = ${theirs} order by kid`.execute(all)).rows,
      )
    const kids = async (query: { execute(): Promise<{ kid: string | null }[]> }) =>
      (await query.execute()).map((row) => row.kid).toSorted()

    it('SELECT: plain, aliased, counted, with OR, qualified by schema', async () => {
      expect(await kids(own.selectFrom('terminal').select('kid'))).toEqual(['m1', 'm2'])
      expect(await kids(own.selectFrom('terminal as t').select('t.kid'))).toEqual(['m1', 'm2'])
      expect(
        await kids(own.selectFrom(['terminal as t', 'note as n']).whereRef('t.name', '=', 'n.name').select('t.kid')),
      ).toEqual(['m1'])
      expect(
        await own
          .selectFrom('terminal')
          .select((eb) => eb.fn.countAll().as('n'))
          .execute(),
      ).toEqual([{ n: 2 }])
      expect(
        await kids(
          own
            .selectFrom('terminal')
            .select('kid')
            .where((eb) => eb.or([eb('name', '=', 'a'), eb.lit(true)])),
        ),
      ).toEqual(['m1', 'm2'])
      expect(
        await kids(
          own
            .selectFrom('terminal')
            .select('kid')
            .where(sql<boolean>`name = 'zzz' or true`),
        ),
      ).toEqual(['m1', 'm2'])
      expect(await kids(own.withSchema('public').selectFrom('terminal').select('kid'))).toEqual(['m1', 'm2'])
      expect(await kids(own.selectFrom('terminal').select('kid').forUpdate())).toEqual(['m1', 'm2'])
    })

    it('joins: INNER, LEFT, CROSS, RIGHT, FULL, lateral', async () => {
      const left = await own
        .selectFrom('brand')
        .leftJoin('terminal as t', 't.name', 'brand.name')
        .select(['brand.name', 't.kid'])
        .orderBy('brand.name')
        .execute()
      expect(left).toEqual([
        { name: 'a', kid: 'm1' },
        { name: 'b', kid: 'm2' },
        { name: 'z', kid: null },
      ])
      expect(
        await kids(own.selectFrom('brand').innerJoin('terminal', 'terminal.name', 'brand.name').select('terminal.kid')),
      ).toEqual(['m1', 'm2'])
      expect(
        await kids(
          own
            .selectFrom('brand')
            .innerJoin('terminal', (j) => j.on(sql<boolean>`false or true`))
            .select('terminal.kid')
            .distinct(),
        ),
      ).toEqual(['m1', 'm2'])
      expect(await kids(own.selectFrom('brand').crossJoin('terminal').select('terminal.kid').distinct())).toEqual([
        'm1',
        'm2',
      ])
      const right = await own
        .selectFrom('note')
        .rightJoin('terminal', 'terminal.name', 'note.name')
        .select(['terminal.kid', 'note.kid as note'])
        .orderBy('terminal.kid')
        .execute()
      expect(right).toEqual([
        { kid: 'm1', note: 'nm' },
        { kid: 'm2', note: null },
      ])
      const full = await own
        .selectFrom('note as n')
        .fullJoin('terminal as t', 't.name', 'n.name')
        .select(['t.kid', 'n.kid as note'])
        .orderBy('t.kid')
        .execute()
      expect(full).toEqual([
        { kid: 'm1', note: 'nm' },
        { kid: 'm2', note: null },
      ])
      const lateral = own
        .selectFrom('brand')
        .innerJoinLateral(
          (eb) => eb.selectFrom('terminal').select('terminal.kid').whereRef('terminal.name', '=', 'brand.name').as('t'),
          (j) => j.onTrue(),
        )
        .select('t.kid')
      expect(await kids(lateral)).toEqual(['m1', 'm2'])
    })

    it('subqueries, EXISTS, IN, CTE, UNION, in the select list', async () => {
      expect(
        await kids(own.selectFrom((eb) => eb.selectFrom('terminal').select('kid').as('x')).select('x.kid')),
      ).toEqual(['m1', 'm2'])
      const brands = (query: { execute(): Promise<{ name: string }[]> }) =>
        query.execute().then((rows) => rows.map((r) => r.name).toSorted())
      expect(
        await brands(
          own
            .selectFrom('brand')
            .select('name')
            .where((eb) =>
              eb.exists(eb.selectFrom('terminal').select('kid').whereRef('terminal.name', '=', 'brand.name')),
            ),
        ),
      ).toEqual(['a', 'b'])
      expect(
        await brands(
          own.selectFrom('brand').select('name').where('name', 'in', own.selectFrom('terminal').select('name')),
        ),
      ).toEqual(['a', 'b'])
      expect(
        await kids(
          own
            .with('x', (q) => q.selectFrom('terminal').select('kid'))
            .selectFrom('x')
            .select('kid'),
        ),
      ).toEqual(['m1', 'm2'])
      expect(
        await kids(own.selectFrom('terminal').select('kid').unionAll(own.selectFrom('note').select('kid'))),
      ).toEqual(['m1', 'm2', 'nm'])
      expect(
        await own
          .selectFrom('brand')
          .select((eb) =>
            eb
              .selectFrom('terminal')
              .select((e) => e.fn.countAll<number>().as('n'))
              .as('n'),
          )
          .limit(1)
          .execute(),
      ).toEqual([{ n: 2 }])
      await expect(async () =>
        own
          .with('terminal', (q) => q.selectFrom('brand').selectAll())
          .selectFrom('terminal')
          .selectAll()
          .execute(),
      ).rejects.toMatchObject(refused)
    })

    it('INSERT: adds account_kid, verifies a given one, every row of it, and defaults', async () => {
      const insert = (row: Insertable | Insertable[]) =>
        own
          .insertInto('terminal')
          .values(row as Row)
          .execute()
      await insert({ kid: 'i1', name: 'i' })
      await insert(
        [
          { kid: 'i2', name: 'i' },
          { kid: 'i3', name: 'i', account_kid: mine },
        ].map((row) => ({ account_kid: mine, ...row })),
      )
      expect(await kids(own.selectFrom('terminal').select('kid').where('name', '=', 'i'))).toEqual(['i1', 'i2', 'i3'])
      await expect(insert({ kid: 'x', name: 'x', account_kid: theirs })).rejects.toMatchObject(refused)
      await expect(
        insert([
          { kid: 'x', name: 'x', account_kid: mine },
          { kid: 'y', name: 'y', account_kid: theirs },
        ]),
      ).rejects.toMatchObject(refused)
      await expect(insert({ kid: 'x', name: 'x', account_kid: sql`${theirs}::uuid` as never })).rejects.toMatchObject(
        refused,
      )
      await expect(async () => own.insertInto('terminal').defaultValues().execute()).rejects.toMatchObject({
        code: '23502',
      })
    })

    it('INSERT ... SELECT reads and writes within the scope', async () => {
      const before = await foreign()
      await own
        .insertInto('note')
        .columns(['kid', 'name'])
        .expression((eb) =>
          eb.selectFrom('terminal').select((e) => [sql<string>`${e.ref('kid')} || '-copy'`.as('kid'), 'name']),
        )
        .execute()
      expect(await kids(all.selectFrom('note').select('kid').where('kid', 'like', '%-copy'))).toEqual([
        'm1-copy',
        'm2-copy',
      ])
      expect(
        await all.selectFrom('note').select('account_kid').where('kid', 'like', '%-copy').distinct().execute(),
      ).toEqual([{ account_kid: mine }])
      await expect(async () =>
        own
          .insertInto('note')
          .columns(['kid', 'name', 'account_kid'])
          .expression((eb) =>
            eb.selectFrom('brand').select((e) => ['name as kid', 'name', e.val(theirs).as('account_kid')]),
          )
          .execute(),
      ).rejects.toMatchObject(refused)
      expect(await foreign()).toEqual(before)
    })

    it("ON CONFLICT leaves another tenant's row in the way alone", async () => {
      const before = await foreign()
      const upsert = (kid: string) =>
        own
          .insertInto('terminal')
          .values({ kid, name: 'taken' } as Row)
          .onConflict((c) => c.column('kid').doUpdateSet({ name: 'taken' }))
          .returning('kid')
          .execute()
      expect(await upsert('t1')).toEqual([])
      expect(await upsert('m1')).toEqual([{ kid: 'm1' }])
      await expect(
        own
          .insertInto('terminal')
          .values({ kid: 'm1', name: 'x' } as Row)
          .onConflict((c) => c.column('kid').doUpdateSet({ account_kid: theirs }))
          .execute(),
      ).rejects.toMatchObject(refused)
      expect(await foreign()).toEqual(before)
    })

    it('UPDATE: plain, FROM, with OR, never account_kid', async () => {
      const before = await foreign()
      await own.updateTable('terminal').set({ size: 1 }).execute()
      await own
        .updateTable('terminal as t')
        .set({ size: 2 })
        .where((eb) => eb.or([eb('t.name', '=', 'a'), eb.lit(true)]))
        .execute()
      await own
        .updateTable('terminal')
        .from('note')
        .set((eb) => ({ name: eb.ref('note.kid') }))
        .whereRef('note.name', '=', 'terminal.name')
        .execute()
      await own
        .updateTable('brand')
        .from('terminal')
        .set({ name: 'seen' })
        .whereRef('terminal.name', '=', 'brand.name')
        .where('terminal.kid', 'in', ['t1', 't2'])
        .execute()
      expect(
        await all
          .selectFrom('terminal')
          .select(['kid', 'name', 'size'])
          .where('account_kid', '=', mine)
          .orderBy('kid')
          .execute(),
      ).toEqual([
        { kid: 'm1', name: 'nm', size: 2 },
        { kid: 'm2', name: 'b', size: 2 },
      ])
      expect(await all.selectFrom('brand').select('name').where('name', '=', 'seen').execute()).toEqual([])
      await expect(async () =>
        own.updateTable('terminal').set({ account_kid: theirs }).execute(),
      ).rejects.toMatchObject(refused)
      await expect(async () =>
        own
          .updateTable('terminal')
          .set(sql.ref('account_kid') as never, theirs as never)
          .execute(),
      ).rejects.toMatchObject(refused)
      expect(await foreign()).toEqual(before)
    })

    it('DELETE: plain, USING, RETURNING', async () => {
      const before = await foreign()
      expect(await own.deleteFrom('note').returning('kid').execute()).toEqual([{ kid: 'nm' }])
      await own.deleteFrom('brand').using('terminal').whereRef('terminal.name', '=', 'brand.name').execute()
      expect(await all.selectFrom('brand').select('name').execute()).toEqual([{ name: 'z' }])
      await own
        .deleteFrom('terminal')
        .where((eb) => eb.or([eb('kid', '=', 't1'), eb.lit(true)]))
        .execute()
      expect(await kids(all.selectFrom('terminal').select('kid'))).toEqual(['t1', 't2'])
      expect(await foreign()).toEqual(before)
    })

    it.each([
      ['the name of a tenant table', () => sql`select * from terminal`],
      ['its name in capitals', () => sql`select * FROM Terminal`],
      ['its quoted name', () => sql`select * from "terminal"`],
      ['its schema', () => sql`select * from public.terminal`],
      ['a list of tables', () => sql`select * from brand b, terminal`],
      ['sql.table', () => sql`select * from ${sql.table('terminal')}`],
      ['sql.id', () => sql`select * from ${sql.id('public', 'terminal')}`],
      ['sql.raw', () => sql`select * from ${sql.raw('terminal')} x`],
      ['an update', () => sql`update terminal set size = 9`],
      ['a delete', () => sql`delete from only terminal`],
      ['an insert', () => sql`insert into terminal (kid) values ('x')`],
      ['a partition', () => sql`select * from terminal_2026_01`],
      ['a statement in a text', () => sql`select ts_stat('select kid from terminal')`],
      ['query_to_xml', () => sql`select table_to_xml(${'terminal'}::regclass, true, true, '')`],
      ['two statements', () => sql`select 1; select 2`],
      ['a comment', () => sql`select 1 -- rest`],
      ['table command', () => sql`table terminal`],
    ])('refuses raw SQL with %s', async (_what, query) => {
      const before = await foreign()
      await expect(async () => query().execute(own)).rejects.toMatchObject(refused)
      expect(await foreign()).toEqual(before)
    })

    it('allows raw SQL that stays in its place', async () => {
      const lower = own.selectFrom('terminal').where(sql<boolean>`lower(terminal.name) = 'a'`)
      expect(await kids(lower.select('kid'))).toEqual(['m1'])
      expect((await sql`select count(*) as n, 'a terminal' as said from brand`.execute(own)).rows).toEqual([
        { n: 3, said: 'a terminal' },
      ])
    })

    it('refuses to break out of the condition, and what it does not know', async () => {
      const refusals: (() => unknown)[] = [
        () =>
          own
            .selectFrom('terminal')
            .selectAll()
            .where(sql<boolean>`true) or (true`)
            .execute(),
        () =>
          own
            .selectFrom('terminal')
            .selectAll()
            .modifyEnd(sql`or true`)
            .execute(),
        () =>
          own
            .selectFrom(sql<Row>`terminal`.as('x'))
            .selectAll()
            .execute(),
        () =>
          own
            .deleteFrom('terminal')
            .modifyEnd(sql`or true`)
            .execute(),
        () =>
          own
            .selectFrom('brand')
            .select(own.fn<string>('query_to_xml', ['brand.name']).as('x'))
            .execute(),
        () =>
          own
            .selectFrom('brand')
            .select(own.fn.agg<string>('count(*) from terminal where max', ['brand.name']).as('x'))
            .execute(),
        () => own.schema.dropTable('terminal').execute(),
        () => own.executeQuery(CompiledQuery.raw('select * from terminal')),
        () => own.executeQuery(all.selectFrom('terminal').selectAll().compile()),
        () => own.withoutPlugins().executeQuery(all.selectFrom('terminal').selectAll()),
        () =>
          own.mergeInto('terminal').using('brand', 'brand.name', 'terminal.name').whenMatched().thenDelete().execute(),
      ]
      for (const attempt of refusals)
        await expect(async () => attempt(), String(attempt)).rejects.toMatchObject(refused)
      expect(await kids(own.withoutPlugins().selectFrom('terminal').select('kid'))).toEqual(['m1', 'm2'])
      expect(await own.executeQuery(own.selectFrom('note').select('kid').compile())).toMatchObject({
        rows: [{ kid: 'nm' }],
      })
    })

    it('stays in transactions and connections, and within a transaction that was begun outside', async () => {
      await own.transaction().execute(async (trx) => {
        expect(await kids(trx.selectFrom('terminal').select('kid'))).toEqual(['m1', 'm2'])
        expect(await kids(trx.withoutPlugins().selectFrom('terminal').select('kid'))).toEqual(['m1', 'm2'])
        await expect(async () => sql`delete from terminal`.execute(trx)).rejects.toMatchObject(refused)
        await expect(async () => trx.executeQuery(CompiledQuery.raw('delete from terminal'))).rejects.toMatchObject(
          refused,
        )
      })
      const trx = await own.startTransaction().execute()
      const point = await trx.savepoint('s').execute()
      expect(await kids(point.selectFrom('terminal').select('kid'))).toEqual(['m1', 'm2'])
      await point.rollbackToSavepoint('s').execute()
      await trx.rollback().execute()
      await own
        .connection()
        .execute(async (one) => expect(await kids(one.selectFrom('note').select('kid'))).toEqual(['nm']))
      await db.kysely.transaction().execute(async (outer) => {
        const within = scoped(outer, mine, tables) as unknown as Kysely<World>
        expect(await kids(within.selectFrom('terminal').select('kid'))).toEqual(['m1', 'm2'])
      })
    })

    it('limits a user to groups: reads, changes, new rows and moves', async () => {
      const limited = scope({ group_kids: [g1] })
      expect(await kids(limited.selectFrom('terminal').select('kid'))).toEqual(['m1'])
      expect(await kids(limited.selectFrom('note').select('kid'))).toEqual(['nm'])
      expect(await kids(scope({ group_kids: [] }).selectFrom('terminal').select('kid'))).toEqual([])
      await limited.updateTable('terminal').set({ size: 7 }).execute()
      expect(await kids(all.selectFrom('terminal').select('kid').where('size', '=', 7))).toEqual(['m1'])
      await limited
        .insertInto('terminal')
        .values({ kid: 'new', name: 'n', terminal_group_kid: g1 } as Row)
        .execute()
      await expect(
        limited
          .insertInto('terminal')
          .values({ kid: 'x', name: 'n', terminal_group_kid: g2 } as Row)
          .execute(),
      ).rejects.toMatchObject(refused)
      await expect(
        limited
          .insertInto('terminal')
          .values({ kid: 'x', name: 'n' } as Row)
          .execute(),
      ).rejects.toMatchObject(refused)
      await expect(async () =>
        limited.updateTable('terminal').set({ terminal_group_kid: g2 }).execute(),
      ).rejects.toMatchObject(refused)
      await limited.updateTable('terminal').set({ terminal_group_kid: g1 }).execute()
    })

    it('lets the planner use an index that begins with account_kid', async () => {
      await sql`insert into terminal (kid, account_kid, name) select 'k' || g, gen_random_uuid(), 'n' || g from generate_series(1, 5000) g`.execute(
        all,
      )
      await sql`analyze terminal`.execute(all)
      const query = own.selectFrom('terminal').select('kid').where('name', '>', 'a').orderBy('name').limit(10)
      const plan = await query.explain('json')
      expect(JSON.stringify(plan)).toContain('terminal_account_kid_name_idx')
    })
  })
})
