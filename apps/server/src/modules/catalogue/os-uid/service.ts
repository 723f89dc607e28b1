import { composeUid, kidOf, informationNames, splitUid, uid_choices_max, uidKids, uidParts } from '@mdm/contract'
import type { Contract, In, InformationName, UidKid, UidPart } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely, Selectable } from 'kysely'
import { containing, countLimit, readPage } from '../../../db/paging.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { violation } from '../../../db/violations.ts'
import type { Deps } from '../../../deps.ts'
import { newKid } from '../../../lib/ids.ts'
import { Refusal, refuse } from '../../../refusal.ts'

type Db = Kysely<Tables>
type Calls = Contract['opsUid']['calls']
type Row = Selectable<Tables['os_uid']>
type Draft = In<Calls['insert']>
type Part = { part: UidPart; code: string; name: string | null; kid: string | null }

const rowsOf = (db: Db) =>
  db
    .selectFrom('os_uid')
    .selectAll('os_uid')
    .select((eb) => [
      eb
        .selectFrom('os_uid as base')
        .select('base.code')
        .whereRef('base.kid', '=', 'os_uid.base_uid_kid')
        .as('base_uid_code'),
    ])

export async function paging({ db }: Deps, input: In<Calls['paging']>) {
  const { text, type, part_kid, base_uid_kid } = input
  const page = await readPage({
    query: rowsOf(db)
      .$if(Boolean(text), (q) =>
        q.where((eb) =>
          eb.or([
            eb(sql`lower(os_uid.code)`, 'like', containing(text!)),
            eb(sql`lower(os_uid.display_name)`, 'like', containing(text!)),
          ]),
        ),
      )
      .$if(type !== undefined, (q) => q.where('os_uid.type', '=', type!))
      .$if(base_uid_kid !== undefined, (q) => q.where('os_uid.base_uid_kid', '=', base_uid_kid!))
      .$if(part_kid !== undefined, (q) =>
        q.where((eb) => eb.or(uidKids.map((column) => eb(`os_uid.${column}`, '=', part_kid!)))),
      ),
    input,
    columns: {
      code: { ref: sql`os_uid.code` },
      display_name: { ref: sql`os_uid.display_name` },
      updated_at: { ref: sql`os_uid.updated_at`, order: 'desc' },
    },
    key: sql`os_uid.kid`,
  })
  return { ...page, items: await hydrated(db, page.items) }
}

export async function get({ db }: { db: Db }, kid: string) {
  const row = await rowsOf(db).where('os_uid.kid', '=', kid).executeTakeFirst()
  return row ? (await hydrated(db, [row]))[0]! : refuse('not_found')
}

/** With the meaning of each part, and how many devices report them. */
async function hydrated<R extends Row>(db: Db, rows: readonly R[]) {
  if (rows.length === 0) return []
  const kids = [...new Set(rows.flatMap((row) => uidKids.map((column) => row[column])))]
  const parts = await db
    .selectFrom('os_information')
    .select(['kid', 'code', 'name'])
    .where('kid', '=', sql<string>`any(${kids}::uuid[])`)
    .execute()
  const partOf = new Map(parts.map((part) => [part.kid, part]))
  const devices = await devicesOf(
    db,
    rows.map(({ code }) => code),
  )
  const uses = await usesOf(
    db,
    rows.map(({ kid }) => kid),
  )
  return rows.map((row) => ({
    ...row,
    parts: uidParts.map(({ part }): Part => {
      if (part === 'reserve_code') return { part, code: row.reserve_code, name: null, kid: null }
      const { code = '', name = null, kid = null } = partOf.get(row[kidOf(part)]) ?? {}
      return { part, code, name, kid }
    }),
    terminal_count: devices.get(row.code.toLowerCase()) ?? 0,
    use_count: total(uses.get(row.kid) ?? unused),
  }))
}

/** How many devices of all accounts report each of these UIDs, by its code in lower case; counts stop (decision 004). */
async function devicesOf(db: Db, codes: readonly string[]): Promise<Map<string, number>> {
  const wanted = sql<{ code: string }>`unnest(${codes.map((code) => code.toLowerCase())}::text[])`.as<'wanted'>(
    sql`wanted(code)`,
  )
  const rows = await db
    .selectFrom(wanted)
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom((inner) =>
            inner
              .selectFrom('terminal')
              .select('terminal.kid')
              .where(sql<boolean>`lower(terminal.uid) = wanted.code and terminal.uid <> ''`)
              .limit(countLimit)
              .as('some'),
          )
          .select(sql<number>`count(*)::int`.as('count'))
          .as('counted'),
      (join) => join.onTrue(),
    )
    .select([sql<string>`wanted.code`.as('code'), 'counted.count'])
    .execute()
  return new Map(rows.map(({ code, count }) => [code, count]))
}

type Uses = { uids: number; versions: number; models: number; lists: number }
const unused: Uses = { uids: 0, versions: 0, models: 0, lists: 0 }
const total = ({ uids, versions, models, lists }: Uses): number => uids + versions + models + lists

/**
 * What goes by these UIDs beside devices; those that nothing goes by are left out. A list of API calls names the code of its UID, and
 * devices keep its version even when it is empty by now.
 */
async function usesOf(db: Db, kids: readonly string[]): Promise<Map<string, Uses>> {
  const { rows } = await sql<Uses & { kid: string }>`
    SELECT kid, count(*) FILTER (WHERE what = 'uid')::int AS uids, count(*) FILTER (WHERE what = 'version')::int AS versions,
      count(*) FILTER (WHERE what = 'model')::int AS models, count(*) FILTER (WHERE what = 'list')::int AS lists
    FROM (
      SELECT base_uid_kid AS kid, 'uid' AS what FROM os_uid
      UNION ALL SELECT uid_kid, 'version' FROM os_version
      UNION ALL SELECT uid_kid, 'model' FROM oscs_model
      UNION ALL SELECT uid_kid, 'model' FROM os_custom
      UNION ALL (SELECT uid_kid, 'list' FROM api_list UNION SELECT uid_kid, 'list' FROM api_authorisation_uid)
    ) used WHERE kid = ANY(${[...kids]}::uuid[]) GROUP BY kid
  `.execute(db)
  return new Map(rows.map(({ kid, ...uses }) => [kid, uses]))
}

export async function exists({ db }: Deps, { code, display_name, src_kid }: In<Calls['exists']>): Promise<boolean> {
  if (code === undefined && display_name === undefined) return false
  const found = await db
    .selectFrom('os_uid')
    .select('kid')
    .where((eb) =>
      eb.or([
        ...(code === undefined ? [] : [eb(sql`lower(code)`, '=', code.toLowerCase())]),
        ...(display_name === undefined ? [] : [eb(sql`lower(display_name)`, '=', display_name.toLowerCase())]),
      ]),
    )
    .$if(src_kid !== undefined, (q) => q.where('kid', '!=', src_kid!))
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

export async function listPart({ db }: Deps, { part, text, kid }: In<Calls['list_part']>) {
  const rows = db.selectFrom('os_information').select(['kid', 'code', 'name']).where('list', '=', part)
  const found = await rows
    .$if(Boolean(text), (q) =>
      q.where((eb) =>
        eb.or([eb(sql`lower(code)`, 'like', containing(text!)), eb(sql`lower(name)`, 'like', containing(text!))]),
      ),
    )
    .orderBy('code')
    .limit(uid_choices_max)
    .execute()
  if (kid === undefined || found.some((row) => row.kid === kid)) return found
  const own = await rows.where('kid', '=', kid).executeTakeFirst()
  return own ? [own, ...found.slice(0, uid_choices_max - 1)] : found
}

/** Takes a UID apart that somebody pasted, whether or not there is such a one. */
export async function explain({ db }: Deps, text: string) {
  const split = splitUid(text)
  const code = text.trim()
  const known = await rowsOf(db)
    .where(sql`lower(os_uid.code)`, '=', code.toLowerCase())
    .executeTakeFirst()
  const terminal_count = (await devicesOf(db, [code])).get(code.toLowerCase()) ?? 0
  const uid = known ? (await hydrated(db, [known]))[0]! : null
  if (!split) return { is_whole: false, parts: [], uid, terminal_count }
  const rows = await db
    .selectFrom('os_information')
    .select(['kid', 'list', 'code', 'name'])
    .where((eb) =>
      eb.or(
        split
          .filter(({ part }) => part !== 'reserve_code')
          .map(({ part, code: own }) =>
            eb.and([eb('list', '=', part as InformationName), eb(sql`lower(code)`, '=', own.toLowerCase())]),
          ),
      ),
    )
    .execute()
  const found = new Map(rows.map(({ list, ...row }) => [list as UidPart, row]))
  return {
    is_whole: true,
    parts: split.map(({ part, code: own }): Part => {
      const written = part === 'reserve_code' && uid ? uid.reserve_code : own
      return { part, code: written, name: null, kid: null, ...found.get(part) }
    }),
    uid,
    terminal_count,
  }
}

export async function insert({ db, clock }: Deps, draft: Draft) {
  const now = clock.now()
  return unlessTaken(() =>
    db.transaction().execute(async (trx) => {
      const code = await composed(trx, draft)
      await assertBase(trx, draft)
      const kid = newKid()
      await trx
        .insertInto('os_uid')
        .values({ kid, code, ...draft, created_at: now, updated_at: now })
        .execute()
      return get({ db: trx }, kid)
    }),
  )
}

/** Names, base version and remark can always be changed; what devices and other UIDs go by, only while none does. */
export async function update({ db, clock }: Deps, { kid, ...said }: In<Calls['update']>) {
  return unlessTaken(() =>
    db.transaction().execute(async (trx) => {
      const old = await locked(trx, kid)
      const { base_uid_kid = old.base_uid_kid, base_os_version = old.base_os_version, remark = old.remark } = said
      const draft = { ...said, base_uid_kid, base_os_version, remark }
      const is_based = [base_uid_kid, base_os_version].map((base) => base !== null)
      if (is_based.includes(draft.type !== 'custom'))
        throw new Refusal('bad_input', {}, { base_uid_kid: { name: 'custom_has_base' } })
      const code = await composed(trx, draft)
      if (code !== old.code || draft.type !== old.type) await assertUnused(trx, old)
      await assertBase(trx, draft, kid)
      await trx
        .updateTable('os_uid')
        .set({ code, ...draft, updated_at: clock.now() })
        .where('kid', '=', kid)
        .execute()
      return get({ db: trx }, kid)
    }),
  )
}

export const remove = ({ db }: Deps, kid: string) =>
  db.transaction().execute(async (trx) => {
    const old = await locked(trx, kid)
    await assertUnused(trx, old)
    await trx.deleteFrom('os_uid').where('kid', '=', kid).execute()
    return old
  })

const locked = async (trx: Db, kid: string) =>
  (await trx
    .selectFrom('os_uid')
    .select(['kid', 'code', 'type', 'base_uid_kid', 'base_os_version', 'remark'])
    .where('kid', '=', kid)
    .forUpdate()
    .executeTakeFirst()) ?? refuse('not_found')

async function assertUnused(trx: Db, { kid, code }: { kid: string; code: string }): Promise<void> {
  const devices = (await devicesOf(trx, [code])).get(code.toLowerCase()) ?? 0
  const uses = (await usesOf(trx, [kid])).get(kid) ?? unused
  if (devices + total(uses) > 0) refuse('uid_in_use', { devices, ...uses })
}

/** The code of what is chosen. Until the end of the transaction nobody changes or deletes what it is made of. */
async function composed(trx: Db, draft: Record<UidKid, string> & { reserve_code: string }): Promise<string> {
  const rows = await trx
    .selectFrom('os_information')
    .select(['kid', 'list', 'code'])
    .where('kid', '=', sql<string>`any(${uidKids.map((column) => draft[column])}::uuid[])`)
    .orderBy('kid')
    .forShare()
    .execute()
  const codes: Partial<Record<UidPart, string>> = { reserve_code: draft.reserve_code }
  for (const list of informationNames) {
    const row = rows.find((one) => one.kid === draft[kidOf(list)] && one.list === list)
    if (!row) return refuse('uid_part_unknown')
    codes[list] = row.code
  }
  return composeUid(codes)
}

/** A custom OS is built on a standard one that is there, and stays so until the end of the transaction. */
async function assertBase(trx: Db, { base_uid_kid }: Pick<Draft, 'base_uid_kid'>, own_kid?: string): Promise<void> {
  if (base_uid_kid === null) return
  const base = await trx
    .selectFrom('os_uid')
    .select('type')
    .where('kid', '=', base_uid_kid)
    .forShare()
    .executeTakeFirst()
  if (base?.type !== 'standard' || base_uid_kid === own_kid) refuse('uid_base_wrong')
}

const unlessTaken = <T>(run: () => Promise<T>): Promise<T> =>
  violation(run, { os_uid_code: 'duplicate_uid', os_uid_display_name: 'duplicate_name' })

/** "Reserve code: two digits or letters", digits first: 01 to 99, then A0 and all others. */
const reserveCodes: readonly string[] = (() => {
  const signs = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const all = signs.flatMap((first) => signs.map((second) => first + second)).filter((code) => code !== '00')
  return [...all.filter((code) => /^\d\d$/.test(code)), ...all.filter((code) => !/^\d\d$/.test(code))]
})()

type Derived = { base_uid_kid: string; name: string; base: { base_os_version: string } }
/**
 * The UID of a custom OS: that of the standard OS it is built on, with the first reserve code that is free. Until the end of the
 * transaction nobody derives another one. @throws `os_custom_no_code`
 */
export async function deriveUid(trx: Db, { clock }: Pick<Deps, 'clock'>, of: Derived): Promise<string> {
  const standard = await trx
    .selectFrom('os_uid')
    .selectAll()
    .where('kid', '=', of.base_uid_kid)
    .forUpdate()
    .executeTakeFirstOrThrow()
  const stem = standard.code.slice(0, -standard.reserve_code.length)
  const taken = await trx
    .selectFrom('os_uid')
    .select('code')
    .where(sql`lower(code)`, 'like', `${stem.toLowerCase()}__`)
    .execute()
  const known = new Set(taken.map(({ code }) => code.slice(stem.length).toUpperCase()))
  const reserve_code = reserveCodes.find((code) => !known.has(code))
  if (reserve_code === undefined) return refuse('os_custom_no_code', { uid: standard.code })
  const { kid: _, ...parts } = standard
  const kid = newKid()
  const code = stem + reserve_code
  const now = clock.now()
  await trx
    .insertInto('os_uid')
    .values({
      ...parts,
      kid,
      code,
      // Names are unique, and two customers may call theirs the same.
      display_name: `${of.name} ${code}`,
      type: 'custom',
      reserve_code,
      base_uid_kid: of.base_uid_kid,
      base_os_version: of.base.base_os_version,
      remark: '',
      created_at: now,
      updated_at: now,
    })
    .execute()
  return kid
}

/** A custom OS is built on another base version from now on. */
export const setBase = async (trx: Db, { clock }: Pick<Deps, 'clock'>, kid: string, base_os_version: string) =>
  void (await trx
    .updateTable('os_uid')
    .set({ base_os_version, updated_at: clock.now() })
    .where('kid', '=', kid)
    .execute())

/** Removes the UID of a custom OS that is gone, unless something still goes by it, such as a device that reports it. */
export async function removeUnused(trx: Db, kid: string): Promise<void> {
  const uid = await locked(trx, kid)
  await assertUnused(trx, uid).then(
    async () => void (await trx.deleteFrom('os_uid').where('kid', '=', kid).execute()),
    (error: unknown) => {
      if (!(error instanceof Refusal)) throw error
    },
  )
}
