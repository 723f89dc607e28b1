import { contract } from '@mdm/contract'
import type { Feature } from '../feature.ts'
import { provider } from '../kinds.ts'
import { by, refusalsOf, unknownKid } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import { sides } from '../shared/sides.ts'
import type { Side } from '../shared/sides.ts'
import { letters } from '../stage.ts'
import type { Stage } from '../stage.ts'

declare module '../feature.ts' {
  interface Things {
    role_kid: string
  }
}

/** Roles, of customers and of the provider. */
export const role: Feature = {
  async make({ call, device }) {
    const [admin] = await call.role.list({})
    const role = await call.role.insert({
      code: `Sweep${letters(device.sn)}`,
      name: `Sweep ${device.sn}`,
      weight: 5,
      parent_kid: admin!.kid,
      permissions: ['homeIndex'],
    })
    return { role_kid: role.kid }
  },
  inputs: (t) => ({
    'role/list': {},
    'role/get': { kid: t.role_kid },
    'role/list_grantable': {},
    'role/exists': { code: 'nobody', src_kid: t.role_kid },
    'role/insert': { code: 'SweepNew', name: 'Sweep new', weight: 1, parent_kid: t.role_kid },
    'role/update': { kid: t.role_kid, code: 'SweepEdited', name: 'Sweep edited', weight: 2, parent_kid: t.role_kid },
    'role/save_permissions': { kid: t.role_kid, permissions: ['homeIndex'] },
    'role/delete': { kid: t.role_kid },
    'ops/role/list': {},
    'ops/role/get': { kid: t.log_kid },
    'ops/role/list_grantable': {},
    'ops/role/exists': { code: 'nobody' },
    'ops/role/insert': { code: 'SweepOps', name: 'Sweep ops', weight: 1, parent_kid: t.log_kid },
    'ops/role/update': { kid: t.log_kid, code: 'SweepOps', name: 'Sweep ops', weight: 1, parent_kid: t.log_kid },
    'ops/role/save_permissions': { kid: t.log_kid, permissions: ['homeIndex'] },
    'ops/role/delete': { kid: t.log_kid },
  }),
  async refusals(s) {
    const { customer, provider } = await sides(s)
    return { ...roleRefusals(s, customer), ...roleRefusals(s, provider) }
  },
  tables: ['role'],
  not_found: ['role_unknown'],
  open_to: {
    'role/save_permissions': ['operator inside', 'customer', 'sub-account', 'manager', 'manager of one group'],
    'ops/role/save_permissions': provider,
  },
}

function roleRefusals(s: Stage, { roles, account_kid, type, admin_kid, boss, manager }: Side): Refusals {
  const { insert, update, save_permissions, delete: remove } = contract[roles].calls
  const draft = () => ({ code: s.roleCode(), name: s.unique('Role'), weight: 10, parent_kid: admin_kid })
  const made = async (weight = 10, parent_kid = admin_kid) => {
    const entry = { ...draft(), weight, parent_kid }
    return { ...entry, ...(await boss[roles].insert(entry)) }
  }
  const heavy = async () => ({ kid: (await made(600)).kid })
  const own = { kid: manager.role_kid }
  return {
    ...refusalsOf(insert, boss, {
      duplicate_role: async () => ({ ...draft(), code: (await made()).code }),
      duplicate_name: async () => ({ ...draft(), name: (await made()).name.toUpperCase() }),
      role_unknown: () => ({ ...draft(), parent_kid: unknownKid }),
      role_weight: async () => ({ ...draft(), weight: 100, parent_kid: (await made(100)).kid }),
      role_beyond_own: () => by(manager.call, { ...draft(), permissions: ['deviceList'] }),
    }),
    ...refusalsOf(update, boss, {
      duplicate_role: async () => ({ ...(await made()), code: (await made()).code }),
      duplicate_name: async () => ({ ...(await made()), name: (await made()).name }),
      role_unknown: async () => ({ ...(await made()), parent_kid: unknownKid }),
      role_weight: async () => by(manager.call, { ...(await made()), weight: 500 }),
      role_into_itself: async () => {
        const role = await made(20)
        return { ...role, parent_kid: (await made(10, role.kid)).kid }
      },
      own_account: () => by(manager.call, { ...draft(), ...own }),
    }),
    ...refusalsOf(save_permissions, manager.call, {
      role_weight: async () => ({ ...(await heavy()), permissions: [] }),
      role_beyond_own: async () => ({ kid: (await made()).kid, permissions: ['deviceList'] }),
      own_account: () => ({ ...own, permissions: [] }),
    }),
    ...refusalsOf(remove, manager.call, {
      role_weight: heavy,
      role_in_use: async () => {
        const { kid } = await made()
        await s.user(account_kid, type, [kid])
        return { kid }
      },
      role_has_children: async () => {
        const { kid } = await made(20)
        await made(10, kid)
        return { kid }
      },
      own_account: () => own,
    }),
  }
}
