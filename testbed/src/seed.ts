import { constants, pageList } from '@mdm/contract'
import type { PageName } from '@mdm/contract'
import { sharedHash } from '@mdm/server/lib/shared-hash.ts'
import { createAccount, createRole, createUser } from '@mdm/server/modules/people/account/index.ts'
import { createSession } from '@mdm/server/modules/people/login/index.ts'
import type { Deps } from '@mdm/server/deps.ts'
import { caller } from './caller.ts'
import type { Caller } from './caller.ts'

/** Made-up companies and people. Their password is no secret: it exists in demos and tests only. */
export const demoPassword = 'Demo-2026!'

export type SeededUser = {
  username: string
  name: string
  kind: 'operator' | 'customer' | 'sub_account' | 'manager' | 'viewer'
  user_kid: string
  account_kid: string
  account_name: string
}
export type Seed = { operator: SeededUser; customers: SeededCustomer[] }
export type SeededCustomer = {
  account_kid: string
  name: string
  root: SeededUser
  users: SeededUser[]
  groups: Record<string, string>
}

const day = 86_400_000
const customers = [
  {
    name: 'Sunrise Parcel',
    login: 'sunrise',
    person: 'Linh Sunrise',
    terminal_max: 500,
    expires_in: 400 * day,
    groups: { 'North depot': ['Dock A', 'Dock B'], 'South depot': ['Returns'], Drivers: [] },
    sub_account: 'Sunrise Express',
  },
  {
    name: 'Blue Lantern Shops',
    login: 'lantern',
    person: 'An Lantern',
    terminal_max: 200,
    expires_in: 21 * day,
    groups: { Downtown: ['Checkout', 'Stockroom'], Riverside: [] },
    sub_account: 'Blue Lantern Outlet',
  },
  {
    name: 'Cedar Clinics',
    login: 'cedar',
    person: 'Mai Cedar',
    terminal_max: 50,
    expires_in: 2 * day,
    groups: { 'Ward 1': [], 'Ward 2': [] },
    sub_account: undefined,
  },
] as const

const administrator = { code: 'admin', name: 'Administrator', permissions: ['*'], weight: constants.admin_weight }
/** Pages, with those below them, that stay with the administrator: they decide about the account, not about its devices. */
const ofAdministrator: readonly (PageName | null)[] = ['subAccountManageList', 'webhookList']
/** Every other page of a customer with all of its buttons, so that pages that are added to the catalogue are among them. */
const everyDay = pageList
  .filter(({ end_type, name, needs }) => end_type === 1 && needs === name)
  .filter(({ name, parent }) => !ofAdministrator.includes(name) && !ofAdministrator.includes(parent))
  .flatMap(({ name, operations }) => [name, ...operations.map(({ code }) => code)])
const onlyReading = [
  'homeIndex',
  'deviceList',
  'deviceDetailInfo',
  'deviceDetailTask',
  'deviceDetailRun',
  'deviceDetailEvent',
  'deviceDetailFsCapture',
  'pushTaskList',
  'fileCloudList',
  'appCenterList',
  'appCenterDetails',
]

/** Three customers with sub-accounts, roles, people and groups, and an operator, in one transaction; the same rows every time. */
export async function seed(deps: Deps): Promise<Seed> {
  const now = deps.clock.now()
  return deps.db.transaction().execute(async (db) => {
    const provider = await db
      .selectFrom('account')
      .select(['kid', 'name'])
      .where('type', '=', 101)
      .executeTakeFirstOrThrow()
    const support = await createRole(db, {
      account_kid: provider.kid,
      code: 'support',
      name: 'Support',
      permissions: ['*'],
      weight: 900,
    })
    const person = async (
      kind: SeededUser['kind'],
      type: 1 | 2 | 3 | 101,
      account: { kid: string; name: string },
      username: string,
      name: string,
      role_kid: string,
    ) => {
      const { kid } = await createUser(db, {
        account_kid: account.kid,
        type,
        username,
        name,
        password_hash: await sharedHash(demoPassword, deps.password_cost),
        role_kids: [role_kid],
        created_at: now,
      })
      return {
        username,
        name,
        kind,
        user_kid: kid,
        account_kid: account.kid,
        account_name: account.name,
      } satisfies SeededUser
    }
    const operator = await person('operator', 101, provider, 'operator', 'Olga Operator', support.kid)
    const seeded: SeededCustomer[] = []
    for (const customer of customers) {
      const { name, login, terminal_max } = customer
      const expire_time = new Date(now.getTime() + customer.expires_in)
      const { kid } = await createAccount(db, {
        type: 1,
        name,
        organization_name: `${name} Ltd`,
        terminal_max,
        expire_time,
        sub_accounts_allowed: customer.sub_account !== undefined,
        fae_kid: operator.user_kid,
        created_at: now,
      })
      const account = { kid, name }
      const admin = await createRole(db, { ...administrator, account_kid: kid })
      const below = { account_kid: kid, parent_kid: admin.kid }
      const manager = await createRole(db, {
        ...below,
        code: 'manager',
        name: 'Manager',
        permissions: everyDay,
        weight: 100,
      })
      const viewer = await createRole(db, {
        ...below,
        code: 'viewer',
        name: 'Viewer',
        permissions: onlyReading,
        weight: 10,
      })
      const root = await person('customer', 1, account, login, customer.person, admin.kid)
      const users = [
        await person('manager', 3, account, `${login}.manager`, `${customer.person} (manager)`, manager.kid),
        await person('viewer', 3, account, `${login}.viewer`, `${customer.person} (viewer)`, viewer.kid),
      ]
      if (customer.sub_account) {
        const sub = await createAccount(db, {
          type: 2,
          parent_kid: kid,
          name: customer.sub_account,
          terminal_max: 40,
          expire_time,
          created_at: now,
        })
        const subAdmin = await createRole(db, { ...administrator, account_kid: sub.kid })
        users.push(
          await person(
            'sub_account',
            2,
            { kid: sub.kid, name: customer.sub_account },
            `${login}.sub`,
            customer.sub_account,
            subAdmin.kid,
          ),
        )
      }
      seeded.push({ account_kid: kid, name, root, users, groups: {} })
    }
    return { operator, customers: seeded }
  })
}

/** Groups are made through the product's own calls, so that the demo shows what the product does. */
export async function seedGroups(url: string, deps: Deps, seeded: Seed): Promise<void> {
  for (const [index, customer] of seeded.customers.entries()) {
    const call = await signedIn(url, deps, customer.root)
    for (const [name, children] of Object.entries(customers[index]!.groups)) {
      const { kid } = await call.terminalGroup.insert({ name, parent_kid: 'ROOT' })
      customer.groups[name] = kid
      for (const child of children)
        customer.groups[child] = (await call.terminalGroup.insert({ name: child, parent_kid: kid })).kid
    }
  }
}

/** A session for one of the seeded people, without the puzzle: made by the server's own sign-in code. */
export async function signedIn(url: string, deps: Deps, user: Pick<SeededUser, 'user_kid'>): Promise<Caller> {
  const token = await createSession(deps, user.user_kid, { address: '127.0.0.1', user_agent: 'demo' })
  return caller(url, { token })
}
