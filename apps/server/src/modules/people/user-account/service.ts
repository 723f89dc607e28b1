import type { Contract, In, Language } from '@mdm/contract'
import { sql } from 'kysely'
import type { Expression, Kysely, SqlBool } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { retrying } from '../../../db/retrying.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { violation } from '../../../db/violations.ts'
import { refuse } from '../../../refusal.ts'
import { forgetSessions } from '../../../http/session-cache.ts'
import { assertPassword, hashPassword, newPasswordHash } from '../../../lib/passwords.ts'
import { takeSharedTry } from '../../../lib/rate-limit.ts'
import { contactTaken, createUser, disableTotp } from '../account/index.ts'
import { dropPasskeys, endLinks, endSessions, invite, inviteAgain, takeInvitation } from '../login/index.ts'
import * as roles from '../role/index.ts'
import { authorityOf, refuseFor, whyNotAssign } from '../role/index.ts'
import type { Authority } from '../role/index.ts'
import { lockAccount } from '../../../db/lock-account.ts'
import { readPerson, whyNotEdit, whyNotTouch } from './people.ts'
import type { Manager } from './people.ts'

type Calls = Contract['userAccount']['calls']
type Inside = Contract['opsInsideUser']['calls']
type Db = Kysely<Tables>
/** The provider's people are not limited to device groups. */
export type Draft<Whole> = Omit<Whole, 'group_kids'> & { group_kids?: readonly string[] }
type Person = Awaited<ReturnType<typeof readPerson>>

/** Checks of names that one person may ask for: enough for every form, too few to try a list of addresses with. */
const checks = { limit: 60, per_ms: 60_000 }

/**
 * Which of the given values somebody else than `src_kid` has: they are unique in the whole house, so it says no more
 * than 'taken'. `src_kid` counts as far as `isOwn` holds for that person (`u`): what is left out tells whose it is.
 */
export async function taken(
  { deps, user }: Actor,
  { username, email, phone, src_kid }: In<Calls['exists']>,
  isOwn: Expression<SqlBool>,
) {
  await takeSharedTry(deps, 'exists', checks, user.kid)
  const lower = (value: string | undefined) => (value ?? '').trim().toLowerCase()
  const rows = await deps.db
    .selectFrom('user_account as u')
    .select(['username', 'email', 'phone'])
    .where((eb) =>
      eb.or([
        eb(sql`lower(username)`, '=', lower(username)),
        eb(sql`lower(email)`, '=', lower(email)),
        eb('phone', '=', lower(phone)),
      ]),
    )
    .$if(src_kid !== undefined, (q) => q.where((eb) => eb.not(eb.and([eb('kid', '=', src_kid!), isOwn]))))
    .execute()
  const given = { username, email, phone }
  const fields = (['username', 'email', 'phone'] as const).filter((field) =>
    rows.some((row) => row[field]?.toLowerCase() === lower(given[field])),
  )
  return { exists: fields.length > 0, taken: fields }
}

export async function listRole(manager: Manager) {
  const all = await roles.list(manager)
  return all.map((role) => ({ ...role, can_assign: role.can.includes('assign') }))
}

/** How many persons the account may have and has. */
export async function inventory({ scope, account_kid }: Actor) {
  const { user_max } = await scope
    .selectFrom('account')
    .select('user_max')
    .where('kid', '=', account_kid)
    .executeTakeFirstOrThrow()
  return { user_max, user_count: await countOf(scope) }
}

async function countOf(scope: Db): Promise<number> {
  const { n } = await scope
    .selectFrom('user_account')
    .select(sql<number>`count(*)::int`.as('n'))
    .where('type', '=', 3)
    .executeTakeFirstOrThrow()
  return n
}

export async function insert(manager: Manager, draft: Draft<In<Calls['insert']>>, language: Language = 'en') {
  const { type, deps } = manager
  const { username, name, password, email, role_kids, group_kids = [] } = draft
  if (password === null) await takeInvitation(deps, manager.account_kid)
  const password_hash = await newPasswordHash(password, username, deps.password_cost)
  return change(manager, async (trx, who, { user_max }) => {
    if (type === 3 && user_max !== null && (await countOf(trx)) >= user_max) refuse('registered_users_exceed_limit')
    await assertRoles(trx, who, role_kids)
    await assertGroups(trx, who, group_kids)
    const { kid } = await createUser(trx, {
      account_kid: who.account_kid,
      type,
      username,
      name,
      password_hash,
      status: 'init',
      role_kids: [...new Set(role_kids)],
      created_at: deps.clock.now(),
    })
    await save(trx, manager, kid, draft)
    await saveGroups(trx, who, kid, group_kids)
    const invited = { kid, account_kid: who.account_kid, username, name, email }
    return { kid, invitation: password === null ? await invite(trx, deps, invited, language) : null }
  })
}

/** Refused as `has_password`, and as editing the person is: the link is a way in. */
export async function inviteAgainTo(manager: Manager, kid: string, language: Language) {
  await takeInvitation(manager.deps, manager.account_kid)
  return change(manager, async (trx, who) => {
    const { username, ...person } = await readPerson(trx, manager.type, kid)
    refuseFor(whyNotEdit(who, person))
    if (person.state === 'invalid') refuse('not_found')
    return { username, invitation: await inviteAgain(trx, manager.deps, kid, language) }
  })
}

/** Answers what mattered of the change: with new roles or a new password the person must sign in again. */
export async function update(manager: Manager, draft: Draft<In<Calls['update']>>) {
  const { kid, password, role_kids, group_kids } = draft
  const password_hash = password === null ? undefined : await hashPassword(password, manager.deps.password_cost)
  const done = await change(manager, async (trx, who) => {
    const person = await readPerson(trx, manager.type, kid)
    refuseFor(whyNotEdit(who, person))
    if (password !== null) assertPassword(password, person.username)
    await assertRoles(trx, who, role_kids)
    await save(trx, manager, kid, draft, password_hash)
    if (password_hash !== undefined) await dropPasskeys(trx, kid)
    const has_new_roles = !isSame(
      role_kids,
      person.roles.map((role) => role.kid),
    )
    if (has_new_roles) await saveRoles(trx, kid, role_kids)
    if (group_kids && !isSame(group_kids, person.group_kids)) {
      await assertGroups(trx, who, group_kids)
      await saveGroups(trx, who, kid, group_kids)
    }
    if (has_new_roles) await keepAdministrator(trx, manager, person)
    return { username: person.username, has_new_roles, has_new_password: password_hash !== undefined }
  })
  if (done.has_new_roles || done.has_new_password) await endSessions(manager.deps, kid)
  // What the person's groups are is part of a session.
  else forgetSessions(manager.deps)
  return done
}

export async function setStatus(manager: Manager, { kid, status }: In<Inside['set_status']>): Promise<Person> {
  const person = await change(manager, async (trx, who) => {
    const found = await touchable(trx, manager, who, kid)
    const enabled = found.last_use_at === null ? 'init' : 'normal'
    await trx
      .updateTable('user_account')
      .set({ status: status === 'invalid' ? 'invalid' : enabled, updated_at: manager.deps.clock.now() })
      .where('kid', '=', kid)
      .execute()
    if (status === 'invalid') await endLinks(trx, [kid])
    await keepAdministrator(trx, manager, found)
    return found
  })
  if (status === 'invalid') await endSessions(manager.deps, kid)
  return person
}

export async function resetTotp(manager: Manager, kid: string): Promise<Person> {
  const person = await change(manager, async (trx, who) => {
    const found = await readPerson(trx, manager.type, kid)
    refuseFor(whyNotEdit(who, found))
    await disableTotp(trx, kid)
    return found
  })
  await endSessions(manager.deps, kid)
  return person
}

export async function remove(manager: Manager, kid: string): Promise<Person> {
  const person = await change(manager, async (trx, who) => {
    const found = await touchable(trx, manager, who, kid)
    await trx.deleteFrom('user_account').where('kid', '=', kid).execute()
    await keepAdministrator(trx, manager, found)
    return found
  })
  await endSessions(manager.deps, kid)
  return person
}

/** One change at a time per account: places, administrators and groups are counted before they are given. */
const change = <T>(
  manager: Manager,
  run: (trx: Db, who: Authority, account: Awaited<ReturnType<typeof lockAccount>>) => Promise<T>,
): Promise<T> =>
  violation(
    () =>
      retrying(() =>
        manager.scope.transaction().execute(async (trx) => {
          const account = await lockAccount(trx, manager.account_kid)
          return run(trx, await authorityOf(trx, manager), account)
        }),
      ),
    contactTaken,
  )

async function touchable(trx: Db, manager: Manager, who: Authority, kid: string): Promise<Person> {
  const person = await readPerson(trx, manager.type, kid)
  refuseFor(whyNotTouch(who, person))
  return person
}

/** What is not given stays as it was. */
type Saved = Pick<In<Inside['update']>, 'name' | 'phone' | 'email' | 'wechat' | 'remark'>
async function save(trx: Db, manager: Manager, kid: string, draft: Saved, password_hash?: string): Promise<void> {
  const { name, phone, email, wechat, remark } = draft
  await trx
    .updateTable('user_account')
    .set({ name, phone, email, wechat, remark, updated_at: manager.deps.clock.now() })
    .$if(password_hash !== undefined, (q) => q.set({ password_hash: password_hash! }))
    .where('kid', '=', kid)
    .execute()
}

async function assertRoles(trx: Db, who: Authority, role_kids: readonly string[]): Promise<void> {
  const kids = [...new Set(role_kids)]
  const found = await trx.selectFrom('role').selectAll().where('kid', 'in', kids).execute()
  if (found.length < kids.length) refuse('role_unknown')
  for (const role of found) refuseFor(whyNotAssign(who, role))
}

async function saveRoles(trx: Db, user_kid: string, role_kids: readonly string[]): Promise<void> {
  await trx.deleteFrom('user_role').where('user_kid', '=', user_kid).execute()
  const rows = [...new Set(role_kids)].map((role_kid) => ({ user_kid, role_kid }))
  await trx.insertInto('user_role').values(rows).execute()
}

/** Somebody limited to groups makes nobody who reaches further. */
async function assertGroups(trx: Db, who: Authority, group_kids: readonly string[]): Promise<void> {
  const kids = [...new Set(group_kids)]
  if (who.visible_groups && (kids.length === 0 || kids.some((kid) => !who.visible_groups!.includes(kid))))
    refuse('group_unknown')
  if (kids.length === 0) return
  const found = await trx.selectFrom('terminal_group').select('kid').where('kid', 'in', kids).execute()
  if (found.length < kids.length) refuse('group_unknown')
}

async function saveGroups(
  trx: Db,
  { account_kid }: Authority,
  user_kid: string,
  group_kids: readonly string[],
): Promise<void> {
  await trx.deleteFrom('terminal_group_user_manged').where('user_kid', '=', user_kid).execute()
  if (group_kids.length === 0) return
  const rows = [...new Set(group_kids)].map((terminal_group_kid) => ({ account_kid, user_kid, terminal_group_kid }))
  await trx.insertInto('terminal_group_user_manged').values(rows).execute()
}

/** After a change of one of the provider's administrators: somebody must be left who can let the others in. */
async function keepAdministrator(trx: Db, { type }: Manager, person: Person): Promise<void> {
  if (type !== 101 || !person.roles.some(roles.isAdmin)) return
  const admin = await roles.adminRoleOf(trx)
  const left = await trx
    .selectFrom('user_account as u')
    .innerJoin('user_role', 'user_role.user_kid', 'u.kid')
    .select('u.kid')
    .where('user_role.role_kid', '=', admin!.kid)
    .where('u.status', '!=', 'invalid')
    .limit(1)
    .executeTakeFirst()
  if (!left) refuse('last_administrator')
}

const isSame = (a: readonly string[], b: readonly string[]): boolean => {
  const [left, right] = [new Set(a), new Set(b)]
  return left.size === right.size && [...left].every((each) => right.has(each))
}
