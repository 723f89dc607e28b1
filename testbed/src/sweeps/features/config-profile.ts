import { contract, ltscopes, profile_uses_max, profiles_max } from '@mdm/contract'
import type { Feature } from '../feature.ts'
import { refusalsOf } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import type { Stage } from '../stage.ts'

declare module '../feature.ts' {
  interface Things {
    profile_kid: string
  }
}

const calls = contract.configProfile.calls

/** Named sets of sections, and who uses them. */
export const configProfile: Feature = {
  async make({ call, device }) {
    const { kid } = await call.configProfile.insert({ name: 'Sweep' })
    const ntp = { server: 'ntp.example.com', every_hours: 12 }
    await call.terminalConfig.save({ ltscope: ltscopes.profile, profile_kid: kid, ntp })
    await call.configProfile.add_use({ profile_kid: kid, terminal_kid: device.kid, position: 10 })
    return { profile_kid: kid }
  },
  inputs: (t) => {
    const use = { profile_kid: t.profile_kid, terminal_kid: t.terminal_kid }
    return {
      'config_profile/paging': { text: 'Sweep' },
      'config_profile/get': { kid: t.profile_kid },
      'config_profile/insert': { name: `New ${Math.random()}` },
      'config_profile/update': { kid: t.profile_kid, name: 'Sweep' },
      'config_profile/delete': { kid: t.profile_kid },
      'config_profile/list_uses': { kid: t.profile_kid },
      'config_profile/use_affected': use,
      'config_profile/add_use': { ...use, position: 5 },
      'config_profile/remove_use': use,
    }
  },
  refusals,
  tables: ['config_profile', 'config_profile_use'],
}

function refusals({ root, unique, deps, customer_kid, absentDevice }: Stage): Refusals {
  const made = async (name = unique('Profile')) => (await root.configProfile.insert({ name })).kid
  const used = async () => {
    const profile_kid = await made()
    await root.configProfile.add_use({ profile_kid, terminal_kid: await absentDevice(), position: 1 })
    return profile_kid
  }
  return {
    ...refusalsOf(calls.insert, root, {
      duplicate_name: async () => {
        await made('Taken')
        return { name: 'TAKEN' }
      },
      profile_limit: async () => {
        const { kid: _, ...row } = await deps.db
          .selectFrom('config_profile')
          .selectAll()
          .where('kid', '=', await made())
          .executeTakeFirstOrThrow()
        const copies = Array.from({ length: profiles_max }, (_each, n) => ({
          ...row,
          kid: `00000000-0000-7000-8002-${String(n).padStart(12, '0')}`,
          name: `Copy ${n}`,
        }))
        await deps.db.insertInto('config_profile').values(copies).execute()
        return { name: unique('Profile') }
      },
    }),
    ...refusalsOf(calls.update, root, {
      duplicate_name: async () => {
        await deps.db.deleteFrom('config_profile').where('name', 'like', 'Copy %').execute()
        await made('Held')
        return { kid: await made(), name: 'held' }
      },
    }),
    ...refusalsOf(calls.delete, root, { delete_failed: async () => ({ kid: await used() }) }),
    ...refusalsOf(calls.add_use, root, {
      profile_use_limit: async () => {
        const profile_kid = await used()
        const { kid: _, ...row } = await deps.db
          .selectFrom('config_profile_use')
          .selectAll()
          .where('profile_kid', '=', profile_kid)
          .executeTakeFirstOrThrow()
        const group = (n: number) => `00000000-0000-7000-8003-${String(n).padStart(12, '0')}`
        const numbers = Array.from({ length: profile_uses_max }, (_each, n) => n)
        await deps.db
          .insertInto('terminal_group')
          .values(
            numbers.map((n) => ({
              kid: group(n),
              account_kid: customer_kid,
              name: `Profiled ${n}`,
              depth: 1,
              created_at: deps.clock.now(),
            })),
          )
          .execute()
        const uses = numbers.map((n) => ({ ...row, kid: group(n), terminal_kid: null, terminal_group_kid: group(n) }))
        await deps.db.insertInto('config_profile_use').values(uses).execute()
        return { profile_kid, terminal_kid: await absentDevice(), position: 1 }
      },
    }),
  }
}
