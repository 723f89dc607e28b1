import { contract } from '@mdm/contract'
import type { Feature } from '../feature.ts'
import { refusalsOf, unknownKid } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import type { Stage } from '../stage.ts'

declare module '../feature.ts' {
  interface Things {
    group_kid: string
  }
}

const calls = contract.terminalGroup.calls

/** Groups of devices, and which users reach them. */
export const terminalGroup: Feature = {
  async make({ call, device }) {
    return { group_kid: (await call.terminalGroup.insert({ name: `Sweep ${device.sn}`, parent_kid: 'ROOT' })).kid }
  },
  inputs: (t) => ({
    'terminal_group/list': { parent_kid: t.group_kid },
    'terminal_group/list_with_child': { parent_kid: t.group_kid },
    'terminal_group/get': { kid: t.group_kid },
    'terminal_group/exists': { name: 'x', parent_kid: t.group_kid, src_kid: t.group_kid },
    'terminal_group/insert': { name: `New ${Math.random()}`, parent_kid: t.group_kid },
    'terminal_group/update': { kid: t.group_kid, name: `Renamed ${Math.random()}` },
    'terminal_group/move': { kid: t.group_kid, target_parent_kid: 'ROOT' },
    'terminal_group/delete': { kid: t.group_kid },
    'terminal_group_user_manged/list_group_kid': { user_kid: t.user_kid },
  }),
  refusals,
  tables: ['terminal_group', 'terminal_group_user_manged'],
  not_found: ['group_unknown'],
}

function refusals(s: Stage): Refusals {
  const { root, unique } = s
  const group = async (name: string, parent_kid = 'ROOT') => (await root.terminalGroup.insert({ name, parent_kid })).kid
  const chain = async (length: number): Promise<string> => {
    let kid = await group(unique('Chain'))
    for (let depth = 2; depth <= length; depth++) kid = await group(unique('Link'), kid)
    return kid
  }
  return {
    ...refusalsOf(calls.insert, root, {
      group_name_taken: async () => {
        await group('Taken')
        return { name: 'TAKEN' }
      },
      group_too_deep: async () => ({ name: 'Eleventh', parent_kid: await chain(10) }),
      group_unknown: () => ({ name: 'Orphan', parent_kid: unknownKid }),
    }),
    ...refusalsOf(calls.update, root, {
      group_name_taken: async () => {
        await group('Held')
        return { kid: await group(unique('Renamed')), name: 'held' }
      },
    }),
    ...refusalsOf(calls.move, root, {
      group_name_taken: async () => {
        const target = await group(unique('Target'))
        await group('Twin', target)
        return { kid: await group('Twin'), target_parent_kid: target }
      },
      group_too_deep: async () => {
        const kid = await group(unique('Tall'))
        await group(unique('Below'), kid)
        return { kid, target_parent_kid: await chain(9) }
      },
      group_into_itself: async () => {
        const kid = await group(unique('Loop'))
        return { kid, target_parent_kid: await group(unique('Inner'), kid) }
      },
      group_unknown: async () => ({ kid: await group(unique('Lost')), target_parent_kid: unknownKid }),
    }),
    ...refusalsOf(calls.delete, root, {
      group_name_taken: async () => {
        await group('Namesake')
        const kid = await group(unique('Dissolved'))
        await group('Namesake', kid)
        return { kid }
      },
      delete_failed: async () => {
        const kid = await group(unique('Only reach'))
        const { account_kid, users } = s.w.seed.customers[0]!
        await s.deps.db
          .insertInto('terminal_group_user_manged')
          .values({ account_kid, user_kid: users[1]!.user_kid, terminal_group_kid: kid })
          .execute()
        return { kid }
      },
    }),
  }
}
