import { contract, pushLimits } from '@mdm/contract'
import type { Feature } from '../feature.ts'
import { refusalsOf, unknownKid } from '../refusals.ts'

declare module '../feature.ts' {
  interface Things {
    push_schedule_kid: string
  }
}

const { insert, update } = contract.pushSchedule.calls
const draft = (name: string, terminal_kid: string) => ({
  name,
  cron: '0 22 * * *',
  zone: 'UTC',
  to: { terminal_kids: [terminal_kid] },
  push: { type: 'message' as const, payload: { title: 't', text: 't' } },
})

/** Pushes that are made again and again. */
export const pushSchedule: Feature = {
  async make({ call, device }) {
    const { kid } = await call.pushSchedule.insert(draft('Sweep', device.kid))
    return { push_schedule_kid: kid }
  },
  inputs: (t) => ({
    'push_schedule/list': {},
    'push_schedule/next_runs': { cron: '0 22 * * *', zone: 'UTC' },
    'push_schedule/insert': draft('Valid', t.terminal_kid),
    'push_schedule/update': { kid: t.push_schedule_kid, name: 'Sweep', cron: '0 22 * * *', zone: 'UTC' },
    'push_schedule/delete': { kid: t.push_schedule_kid },
  }),
  tables: ['push_schedule'],
  refusals({ root, deps, customer_kid, device, unique }) {
    const other = async () => (await root.pushSchedule.insert(draft(unique('Schedule'), device))).kid
    return {
      ...refusalsOf(insert, root, {
        os_not_available: () => ({
          ...draft(unique('Schedule'), device),
          push: { type: 'os', payload: { os_version_kid: unknownKid } },
        }),
        duplicate_name: async () => {
          const taken = draft(unique('Schedule'), device)
          await root.pushSchedule.insert(taken)
          return taken
        },
        device_not_found: () => draft(unique('Schedule'), unknownKid),
        push_schedule_max: async () => {
          const { kid: _, ...row } = await deps.db
            .selectFrom('push_schedule')
            .selectAll()
            .where('kid', '=', await other())
            .executeTakeFirstOrThrow()
          const copies = Array.from({ length: pushLimits.schedules }, (_each, n) => ({
            ...row,
            kid: `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`,
            account_kid: customer_kid,
            name: `Copy ${n}`,
            to: JSON.stringify(row.to),
            conditions: JSON.stringify(row.conditions),
            rollout: null,
            last_error: null,
          }))
          await deps.db.insertInto('push_schedule').values(copies).execute()
          return draft(unique('Schedule'), device)
        },
      }),
      ...refusalsOf(update, root, {
        duplicate_name: async () => {
          await deps.db.deleteFrom('push_schedule').where('name', 'like', 'Copy %').execute()
          const taken = draft(unique('Schedule'), device)
          await root.pushSchedule.insert(taken)
          return { kid: await other(), name: taken.name, cron: taken.cron, zone: taken.zone }
        },
      }),
    }
  },
}
