import { contract } from '@mdm/contract'
import type { Call } from '@mdm/contract'
import * as z from 'zod'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { clientHash } from '../lib/passwords.ts'
import { staff } from '../testing/staff.ts'
import type { Staff } from '../testing/staff.ts'
import { testPassword } from '../testing/calls.ts'
import type { As } from '../testing/calls.ts'

let o: Staff
let root: As
beforeAll(async () => {
  o = await staff()
  o.deps.config.webhook_allow = ['127.0.0.1']
  root = await o.person(1, o.globex.kid, 'globex.all', ['*'])
  await o.deps.db.updateTable('account').set({ sub_accounts_allowed: true }).where('kid', '=', o.globex.kid).execute()
})
afterAll(async () => {
  expect(o.internal_errors).toEqual([])
  await o.close()
})

const edits: Call[] = [
  ...Object.values(contract).flatMap(({ calls }) => ('update' in calls ? [calls.update] : [])),
  contract.account.calls.update_info,
]
/** The fields of an input, also of one that is of several kinds. */
const fieldsOf = (input: unknown): [string, z.ZodType][] => {
  if (input instanceof z.ZodUnion) return input.options.flatMap(fieldsOf)
  if (input instanceof z.ZodIntersection) return [input.def.left, input.def.right].flatMap(fieldsOf)
  return Object.entries((input as z.ZodObject<Record<string, z.ZodType>>).shape)
}
const defaultsOf = (call: Call) => [
  ...new Set(fieldsOf(call.input).flatMap(([name, field]) => (field instanceof z.ZodDefault ? [name] : []))),
]

it('no edit has a default that would change what was not said', () => {
  const found = edits.flatMap((call) => defaultsOf(call).map((name) => `${call.path} ${name}`))
  // No password keeps the old one; without choices is every field but a choice, which is refused; a push is said anew as a whole.
  expect(found.filter((name) => !name.endsWith(' password'))).toEqual([
    'custom_field/update choices',
    'push_task/update description',
  ])
})

const contact = (name: string) => ({ email: `${name}@example.com`, wechat: name, remark: 'kept', name })
const secret = clientHash(testPassword)
const expire_time = '2030-01-01T00:00:00.000Z'
const account = (name: string) => ({
  ...contact(name),
  username: name,
  password: secret,
  organization_name: 'Kept',
  terminal_max: 3,
  expire_time,
  permissions: ['deviceList'],
})
const rolesIn = async (account_kid: string) => [await o.role(account_kid, 'kept', 1, ['homeIndex'])]
const text = { en: 'Kept', vi: 'Kept', 'zh-cn': 'Kept' }

/** Group, what is made in it with a value in every field, and by whom. */
const things: [group: keyof typeof contract, draft: () => Promise<object>, as: () => As][] = [
  [
    'opsAccount',
    async () => ({ ...account('kept.customer'), user_max: 7, sub_accounts_allowed: true, fae_kid: o.boss.kid }),
    () => o.boss,
  ],
  ['subAccount', async () => account('kept.below'), () => root],
  [
    'userAccount',
    async () => ({
      ...contact('kept.person'),
      username: 'kept.person',
      password: secret,
      role_kids: await rolesIn(o.globex.kid),
    }),
    () => o.stranger,
  ],
  [
    'opsInsideUser',
    async () => ({
      ...contact('kept.inside'),
      username: 'kept.inside',
      password: secret,
      role_kids: await rolesIn(o.provider.kid),
    }),
    () => o.boss,
  ],
  [
    'role',
    async () => ({ code: 'Kept', name: 'Kept', weight: 5, remark: 'kept', parent_kid: o.admin.globex }),
    () => o.stranger,
  ],
  ['opsPolicy', async () => ({ name: 'Kept', days: 3, remark: 'kept' }), () => o.boss],
  ['opsClientCode', async () => ({ code: 'KEPT1', name: 'Kept', remark: 'kept' }), () => o.boss],
  [
    'webhook',
    async () => ({ name: 'Kept', url: 'http://127.0.0.1:9/', events: ['operation_log'], is_enabled: false }),
    () => root,
  ],
  [
    'opsMenuTree',
    async () => ({
      code: 'kept',
      name: text,
      type: 'module',
      path: '/kept',
      icon: 'home',
      visible: 0,
      access_code: 'deviceList',
      end_type: 2,
      remind: 'kept',
    }),
    () => o.boss,
  ],
]
it.each(things)('%s: an edit that names only what it must leaves the rest as it was', async (group, draft, as) => {
  const { insert, update, get, list, paging } = contract[group].calls as unknown as Record<string, Call>
  const made = (await draft()) as Record<string, unknown>
  const { data, ...answer } = await o.call(insert!, made as never, as())
  expect(answer).toMatchObject({ result: 1 })
  const { kid } = data as { kid: string }
  const read = async (): Promise<Record<string, unknown>> => {
    if (get) return (await o.call(get, { kid } as never, as())).data as Record<string, unknown>
    const all = (await o.call((list ?? paging)!, {} as never, as())).data as { items?: object[] }
    const rows = (all.items ?? all) as { kid: string }[]
    return rows.find((row) => row.kid === kid)!
  }
  const { updated_at: _, ...before } = await read()
  const must = fieldsOf(update!.input).filter(([, field]) => !field.safeParse(undefined).success)
  const input = Object.fromEntries(must.map(([name]) => [name, name === 'kid' ? kid : made[name]]))
  expect(Object.keys(input).length).toBeLessThan(fieldsOf(update!.input).length)
  expect(await o.call(update!, input as never, as())).toMatchObject({ result: 1 })
  const { updated_at: _at, ...after } = await read()
  expect(after).toEqual(before)
})

it('of the own details too', async () => {
  const { insert } = contract.userAccount.calls
  const { update_info, info } = contract.account.calls
  const draft = { ...contact('kept.own'), username: 'kept.own', password: secret, phone: '0900000001' }
  const { kid } = (await o.call(insert, { ...draft, role_kids: await rolesIn(o.acme.kid) }, o.owner)).data
  const own = { token: await o.signIn(kid) }
  expect((await o.call(update_info, { name: 'Other' }, own)).result).toBe(1)
  const { name, email, phone, wechat } = (await o.call(info, {}, own)).data
  expect({ name, email, phone, wechat }).toEqual({
    name: 'Other',
    email: draft.email,
    phone: draft.phone,
    wechat: draft.wechat,
  })
})
