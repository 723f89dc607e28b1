import { contract } from '@mdm/contract'
import type { Feature } from '../feature.ts'
import { refusalsOf, unknownKid } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import type { Stage } from '../stage.ts'

const calls = contract.opsMenuTree.calls

/** The menu and its permissions. */
export const menuTree: Feature = {
  inputs: (t) => ({
    'ops/menu_tree/list': {},
    'ops/menu_tree/get': { kid: t.log_kid },
    'ops/menu_tree/exists': { code: 'sweep' },
    'ops/menu_tree/insert': {
      code: `sweep${Math.random()}`.replace('.', ''),
      name: { en: 'Sweep', vi: 'Sweep', 'zh-cn': 'Sweep' },
      type: 'page',
      end_type: 2,
    },
    'ops/menu_tree/update': {
      kid: t.log_kid,
      code: 'swept',
      name: { en: 'Sweep', vi: 'Sweep', 'zh-cn': 'Sweep' },
      type: 'page',
      end_type: 2,
    },
    'ops/menu_tree/move': { kid: t.log_kid, target_parent_kid: 'ROOT' },
    'ops/menu_tree/delete': { kid: t.log_kid },
    'menu_tree/list': { p_id: 'ROOT' },
  }),
  refusals,
  open_outside: [contract.menuTree.calls.list],
}

function refusals({ operator, roleCode }: Stage): Refusals {
  const name = { en: 'Sweep', vi: 'Sweep', 'zh-cn': 'Sweep' }
  const draft = (type: 'group' | 'page' | 'operation' = 'page') => ({
    code: roleCode(),
    name,
    type,
    end_type: 1 as const,
  })
  const made = async (type?: 'group' | 'page', p_id?: string) => {
    const entry = { ...draft(type), ...(p_id ? { p_id } : {}) }
    return { kid: (await operator.opsMenuTree.insert(entry)).kid, ...entry }
  }
  const operation = async (p_id: string) => (await operator.opsMenuTree.insert({ ...draft('operation'), p_id })).kid
  const anOperation = async () => operation((await made()).kid)
  const aParent = async () => {
    const page = await made()
    await operation(page.kid)
    return page
  }
  return {
    ...refusalsOf(calls.insert, operator, {
      duplicate_code: () => ({ ...draft(), code: 'deviceList' }),
      menu_under_operation: async () => ({ ...draft('operation'), p_id: await anOperation() }),
      menu_does_not_fit: () => draft('operation'),
      menu_parent_unknown: () => ({ ...draft(), p_id: unknownKid }),
    }),
    ...refusalsOf(calls.update, operator, {
      duplicate_code: async () => ({ ...(await made()), code: 'deviceList' }),
      menu_under_operation: async () => ({ ...(await made()), p_id: await anOperation() }),
      menu_does_not_fit: async () => ({ ...(await made()), p_id: (await made()).kid }),
      menu_parent_unknown: async () => ({ ...(await made()), p_id: unknownKid }),
      menu_into_itself: async () => {
        const group = await made('group')
        return { ...group, p_id: (await made('page', group.kid)).kid }
      },
      menu_is_delivered: async () => {
        const delivered = (await operator.opsMenuTree.list({})).find((entry) => entry.code === 'deviceList')!
        return { ...delivered, p_id: delivered.p_id ?? 'ROOT', code: roleCode() }
      },
      menu_has_children: async () => ({ ...(await aParent()), type: 'group' }),
    }),
    ...refusalsOf(calls.move, operator, {
      menu_under_operation: async () => ({ kid: (await made()).kid, target_parent_kid: await anOperation() }),
      menu_does_not_fit: async () => ({ kid: (await made()).kid, target_parent_kid: (await made()).kid }),
      menu_parent_unknown: async () => ({ kid: (await made()).kid, target_parent_kid: unknownKid }),
      menu_into_itself: async () => {
        const { kid } = await made()
        return { kid, target_parent_kid: kid }
      },
    }),
    ...refusalsOf(calls.delete, operator, { menu_has_children: async () => ({ kid: (await aParent()).kid }) }),
  }
}
