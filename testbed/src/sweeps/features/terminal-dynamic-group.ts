import { contract, dynamic_groups_max } from '@mdm/contract'
import type { Feature } from '../feature.ts'
import { by, refusalsOf } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import type { Stage } from '../stage.ts'

declare module '../feature.ts' {
  interface Things {
    dynamic_group_kid: string
  }
}

const calls = contract.terminalDynamicGroup.calls
const where = { all: [{ field: 'is_online' as const, op: 'is' as const, value: true }] }

/** Dynamic groups of devices. */
export const terminalDynamicGroup: Feature = {
  async make({ call, device }) {
    const of_no_model = { all: [{ field: 'model' as const, op: 'is_one_of' as const, value: ['none'] }] }
    const group = await call.terminalDynamicGroup.insert({ name: `Sweep ${device.sn}`, where: of_no_model })
    return { dynamic_group_kid: group.kid }
  },
  inputs: (t) => ({
    'terminal_dynamic_group/list': { with_counts: true },
    'terminal_dynamic_group/insert': {
      name: `New ${Math.random()}`,
      where: { any: [{ field: 'is_online', op: 'is', value: true }] },
    },
    'terminal_dynamic_group/update': {
      kid: t.dynamic_group_kid,
      name: `Renamed ${Math.random()}`,
      where: { any: [{ field: 'sn', op: 'contains', value: 'sweep' }] },
    },
    'terminal_dynamic_group/delete': { kid: t.dynamic_group_kid },
  }),
  refusals,
  tables: ['terminal_dynamic_group'],
}

function refusals({ root, unique, w }: Stage): Refusals {
  const other = w.customers[1]!
  return {
    ...refusalsOf(calls.insert, root, {
      duplicate_name: async () => {
        await root.terminalDynamicGroup.insert({ name: 'Taken', where })
        return { name: 'TAKEN', where }
      },
      dynamic_group_limit: async () => {
        for (let n = 0; n < dynamic_groups_max; n++)
          await other.terminalDynamicGroup.insert({ name: unique('Dynamic'), where })
        return by(other, { name: 'One more', where })
      },
    }),
    ...refusalsOf(calls.update, root, {
      duplicate_name: async () => {
        await root.terminalDynamicGroup.insert({ name: 'Held', where })
        const { kid } = await root.terminalDynamicGroup.insert({ name: unique('Dynamic'), where })
        return { kid, name: 'held', where }
      },
    }),
  }
}
