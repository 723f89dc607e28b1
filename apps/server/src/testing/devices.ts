import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Insertable } from 'kysely'
import { postgres_missing } from './postgres.ts'
import { migratedPostgres } from './shared-postgres.ts'
import type { Tables } from '../db/schema/tables.ts'
import { Refusal } from '../refusal.ts'
import { newKid } from '../lib/ids.ts'
import { testDeps } from './deps.ts'
import type { TestDeps } from './deps.ts'
import { announce } from '../modules/fleet/enrolment/index.ts'

export type DatabaseKind = 'embedded' | 'postgres'

/**
 * What a feature's tests run on: the embedded database every day; PostgreSQL, which reads the same SQL, in the long run, which
 * takes the files that name this (vitest.config.ts).
 */
export const databases: readonly DatabaseKind[] =
  process.env['MDM_TEST_LONG'] === '1' && !postgres_missing ? ['postgres'] : ['embedded']

/**
 * Both every day, where it is installed: who waits for whose lock shows itself among many sessions, and the embedded
 * database has one.
 */
export const lockingDatabases: readonly DatabaseKind[] = postgres_missing ? ['embedded'] : ['embedded', 'postgres']

export const openDeps = async (kind: DatabaseKind, overrides: Parameters<typeof testDeps>[0] = {}): Promise<TestDeps> =>
  testDeps(kind === 'postgres' ? { ...overrides, url: await migratedPostgres() } : overrides)

/** A customer with room for `terminal_max` devices; below `parent_kid` it is a sub-account. */
export async function addAccount({ db }: TestDeps, terminal_max = 1_000_000, parent_kid: string | null = null) {
  const kid = newKid()
  await db
    .insertInto('account')
    .values({ kid, parent_kid, type: parent_kid ? 2 : 1, name: kid, terminal_max })
    .execute()
  return kid
}

/** Without a role, unless permissions are given. */
export async function addUser(
  { db }: TestDeps,
  account_kid: string,
  group_kids: string[] = [],
  permissions: string[] = [],
) {
  const kid = newKid()
  await db
    .insertInto('user_account')
    .values({ kid, account_kid, type: 3, username: kid, name: 'Someone', password_hash: '-' })
    .execute()
  for (const terminal_group_kid of group_kids)
    await db
      .insertInto('terminal_group_user_manged')
      .values({ account_kid, user_kid: kid, terminal_group_kid })
      .execute()
  if (permissions.length > 0) {
    const role_kid = newKid()
    await db
      .insertInto('role')
      .values({ kid: role_kid, account_kid, code: role_kid, name: role_kid, permissions })
      .execute()
    await db.insertInto('user_role').values({ user_kid: kid, role_kid }).execute()
  }
  return kid
}

export type Device = { sn: string; claim: string; claim_hash: string }
export function device(sn = `SN-${randomBytes(6).toString('hex').toUpperCase()}`): Device {
  const claim = randomBytes(32).toString('hex')
  return { sn, claim, claim_hash: createHash('sha256').update(claim).digest('hex') }
}

export const facts = {
  model: 'M1',
  os_name: 'Linux',
  os_version: '6.1',
  service_version: '1.0',
  protocol_version: 1,
  imei: '350000000000001',
}
export const announced = (deps: TestDeps, { sn, claim_hash }: Device, address = '10.0.0.1') =>
  announce(deps, address, { sn, claim_hash, ...facts })

/** A registered device, put there directly; its kid. */
export async function addTerminal(
  { db, clock }: TestDeps,
  account_kid: string,
  given: Partial<Insertable<Tables['terminal']>> = {},
  state: { is_online?: boolean; battery_level?: number | null; last_online_at?: Date | null } = {},
) {
  const kid = newKid()
  await db
    .insertInto('terminal')
    .values({
      kid,
      account_kid,
      sn: kid.toUpperCase(),
      claim_hash: randomBytes(32),
      registered_at: clock.now(),
      ...given,
    })
    .execute()
  await db
    .insertInto('terminal_state')
    .values({ terminal_kid: kid, account_kid, ...state })
    .execute()
  return kid
}

/** The refusal's name, or what came instead of a refusal. */
export const refusalOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (value) => ({ not_refused: value }),
    (error: unknown) => (error instanceof Refusal ? error.refusal : Promise.reject(error)),
  )

/** What the counters must be, counted. */
export async function miscounted({ db }: TestDeps): Promise<unknown[]> {
  const { rows } = await sql`
    select kid from account a
      where terminal_count <> (select count(*) from terminal t where t.account_kid = a.kid)
    union all
    select kid from terminal_group g
      where terminal_count <> (select count(*) from terminal t where t.terminal_group_kid = g.kid)`.execute(db)
  return rows
}
