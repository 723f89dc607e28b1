import { contract, windowLimits } from '@mdm/contract'
import type { Feature } from '../feature.ts'
import { refusalsOf } from '../refusals.ts'

declare module '../feature.ts' {
  interface Things {
    maintenance_window_kid: string
  }
}

const { delete: remove, insert, update } = contract.maintenanceWindow.calls
const draft = (name: string) => ({ name, from: '22:00', to: '05:00', days: [6, 7] })

/** Named hours that pushes, required apps and configurations refer to. */
export const maintenanceWindow: Feature = {
  async make({ call }) {
    const { kid } = await call.maintenanceWindow.insert(draft('Sweep'))
    return { maintenance_window_kid: kid }
  },
  inputs: (t) => ({
    'maintenance_window/list': {},
    'maintenance_window/insert': draft('Valid'),
    'maintenance_window/update': { kid: t.maintenance_window_kid, ...draft('Sweep') },
    'maintenance_window/delete': { kid: t.maintenance_window_kid },
  }),
  tables: ['maintenance_window'],
  refusals({ root, deps, unique }) {
    const made = async () => (await root.maintenanceWindow.insert(draft(unique('Window')))).kid
    const configured = async () => {
      const window_kid = await made()
      const { kid } = await root.terminalGroup.insert({ name: unique('Group'), parent_kid: 'ROOT' })
      const update_window = {
        ...{ mode: 'named' as const, window_kid, window_name: '', window_days: [], window_from: '', window_to: '' },
        ...{ days: [], from: '', to: '', is_charging: false },
      }
      await root.terminalConfig.save({ ltscope: 30, terminal_group_kid: kid, update_window })
      return window_kid
    }
    const taken = async () => {
      const name = unique('Window')
      await root.maintenanceWindow.insert(draft(name))
      return name
    }
    return {
      ...refusalsOf(insert, root, {
        duplicate_name: async () => draft(await taken()),
        maintenance_window_max: async () => {
          const row = await deps.db
            .selectFrom('maintenance_window')
            .selectAll()
            .where('kid', '=', await made())
            .executeTakeFirstOrThrow()
          const copies = Array.from({ length: windowLimits.of_account }, (_each, n) => ({
            ...row,
            kid: `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`,
            name: `Copy ${n}`,
          }))
          await deps.db.insertInto('maintenance_window').values(copies).execute()
          return draft(unique('Window'))
        },
      }),
      ...refusalsOf(update, root, {
        duplicate_name: async () => {
          await deps.db.deleteFrom('maintenance_window').where('name', 'like', 'Copy %').execute()
          return { kid: await made(), ...draft(await taken()) }
        },
        config_in_steps: async () => {
          const kid = await configured()
          const { kid: head } = await deps.db
            .selectFrom('configuration_change')
            .select('kid')
            .orderBy('created_at', 'desc')
            .orderBy('kid', 'desc')
            .limit(1)
            .executeTakeFirstOrThrow()
          await deps.db.updateTable('configuration_change').set({ is_staged: true }).where('kid', '=', head).execute()
          return { kid, ...draft(unique('Window')) }
        },
        maintenance_window_places: async () => {
          const kid = await configured()
          const { kid: _, ...row } = await deps.db
            .selectFrom('terminal_config')
            .selectAll()
            .where('section', '=', 'update_window')
            .orderBy('updated_at', 'desc')
            .orderBy('kid', 'desc')
            .limit(1)
            .executeTakeFirstOrThrow()
          const group = await deps.db
            .selectFrom('terminal_group')
            .selectAll()
            .where('kid', '=', row.terminal_group_kid)
            .executeTakeFirstOrThrow()
          const groups = Array.from({ length: windowLimits.places }, (_each, n) => ({
            ...group,
            kid: `00000000-0000-7000-9000-${String(n).padStart(12, '0')}`,
            name: unique(`Place ${n}`),
          }))
          await deps.db.insertInto('terminal_group').values(groups).execute()
          const places = groups.map(({ kid: terminal_group_kid }) => ({
            ...row,
            kid: terminal_group_kid,
            terminal_group_kid,
            value: JSON.stringify({ ...(row.value as object), window_kid: kid }),
          }))
          await deps.db.insertInto('terminal_config').values(places).execute()
          return { kid, ...draft(unique('Window')) }
        },
      }),
      ...refusalsOf(remove, root, {
        maintenance_window_in_use: async () => ({ kid: await configured() }),
      }),
    }
  },
}
