import { contract, fenceLimits, ltscopes } from '@mdm/contract'
import type { Feature } from '../feature.ts'
import { by, refusalsOf } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import type { Stage } from '../stage.ts'

declare module '../feature.ts' {
  interface Things {
    fence_kid: string
  }
}

const calls = contract.electronicFence.calls
const draft = (name: string) => ({ name, longitude: 105.8342, latitude: 21.0278, radius: 500 })

/** Circles that devices are to stay within. */
export const electronicFence: Feature = {
  async make({ call, device }) {
    const { kid } = await call.electronicFence.insert(draft('Sweep'))
    const places = [{ ltscope: ltscopes.terminal, terminal_kid: device.kid }]
    await call.electronicFence.save_places({ fence_kid: kid, places })
    return { fence_kid: kid }
  },
  inputs: (t) => {
    const places = [{ ltscope: ltscopes.terminal, terminal_kid: t.terminal_kid }]
    return {
      'electronic_fence/paging': { text: 'Sweep' },
      'electronic_fence/get': { kid: t.fence_kid },
      'electronic_fence/insert': draft(`New ${Math.random()}`),
      'electronic_fence/update': { kid: t.fence_kid, ...draft('Sweep') },
      'electronic_fence/delete': { kid: t.fence_kid },
      'electronic_fence/list_places': { kid: t.fence_kid },
      'electronic_fence/save_places': { fence_kid: t.fence_kid, places },
      'electronic_fence/reset_places': { places },
      'electronic_fence/paging_event': { kid: t.fence_kid },
      'electronic_fence/current': { terminal_kid: t.terminal_kid },
      'electronic_fence/find_place': { text: '' },
    }
  },
  refusals,
  tables: ['electronic_fence'],
}

function refusals(s: Stage): Refusals {
  const { root, unique, deps, customer_kid } = s
  const made = async (name = unique('Fence')) => (await root.electronicFence.insert(draft(name))).kid
  const limited = () =>
    s.once('a manager of one group who edits fences', async () => {
      const group = await root.terminalGroup.insert({ name: unique('Fenced'), parent_kid: 'ROOT' })
      const role = await s.role(customer_kid, 5, ['electronicFenceList*'])
      const { call, kid } = await s.user(customer_kid, 3, [role])
      await deps.db
        .insertInto('terminal_group_user_manged')
        .values({ account_kid: customer_kid, user_kid: kid, terminal_group_kid: group.kid })
        .execute()
      return call
    })
  const everywhere = async () => {
    const kid = await made()
    await root.electronicFence.save_places({ fence_kid: kid, places: [{ ltscope: ltscopes.account }] })
    return kid
  }
  const locking = { is_locking: true }
  return {
    ...refusalsOf(calls.insert, root, {
      duplicate_name: async () => {
        await made('Taken')
        return draft('TAKEN')
      },
      fence_password_missing: () => ({ ...draft(unique('Fence')), ...locking }),
      fence_limit: async () => {
        const { kid: _, ...row } = await deps.db
          .selectFrom('electronic_fence')
          .selectAll()
          .where('kid', '=', await made())
          .executeTakeFirstOrThrow()
        const copies = Array.from({ length: fenceLimits.fences }, (_each, n) => ({
          ...row,
          kid: `00000000-0000-7000-8001-${String(n).padStart(12, '0')}`,
          name: `Copy ${n}`,
        }))
        await deps.db.insertInto('electronic_fence').values(copies).execute()
        return draft(unique('Fence'))
      },
    }),
    ...refusalsOf(calls.update, root, {
      duplicate_name: async () => {
        await deps.db.deleteFrom('electronic_fence').where('name', 'like', 'Copy %').execute()
        await made('Held')
        return { kid: await made(), ...draft('held') }
      },
      fence_password_missing: async () => ({ kid: await made(), ...draft(unique('Fence')), ...locking }),
      fence_beyond_reach: async () => by(await limited(), { kid: await everywhere(), ...draft(unique('Fence')) }),
    }),
    ...refusalsOf(calls.delete, root, {
      fence_beyond_reach: async () => by(await limited(), { kid: await everywhere() }),
    }),
    ...refusalsOf(calls.find_place, root, {
      geocoder_failed: () => {
        // Nobody listens there.
        deps.config.geocoder = 'http://127.0.0.1:1/?q={q}'
        return { text: unique('Place') }
      },
    }),
  }
}
