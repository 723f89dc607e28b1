import { contract, customFieldLimits } from '@mdm/contract'
import type { Feature } from '../feature.ts'
import { by, refusalsOf } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import type { Stage } from '../stage.ts'

declare module '../feature.ts' {
  interface Things {
    custom_field_kid: string
  }
}

const calls = contract.customField.calls

/** Fields that customers give their devices. */
export const customField: Feature = {
  async make({ call, device }) {
    return { custom_field_kid: (await call.customField.insert({ name: `Sweep ${device.sn}`, kind: 'text' })).kid }
  },
  inputs: (t) => ({
    'custom_field/list': {},
    'custom_field/insert': { name: `New ${Math.random()}`, kind: 'choice', choices: ['A', 'B'] },
    'custom_field/update': { kid: t.custom_field_kid, name: `Renamed ${Math.random()}`, kind: 'text' },
    'custom_field/move': { kid: t.custom_field_kid, position: 0 },
    'custom_field/delete': { kid: t.custom_field_kid },
  }),
  refusals,
  tables: ['custom_field'],
  not_found: ['custom_field_unknown'],
}

function refusals({ root, unique, w }: Stage): Refusals {
  const text = async (who = root) => (await who.customField.insert({ name: unique('Field'), kind: 'text' })).kid
  const other = w.customers[1]!
  return {
    ...refusalsOf(calls.insert, root, {
      duplicate_name: async () => {
        await root.customField.insert({ name: 'Taken', kind: 'text' })
        return { name: 'TAKEN', kind: 'text' }
      },
      custom_field_limit: async () => {
        for (let n = 0; n < customFieldLimits.fields; n++) await text(other)
        return by(other, { name: 'One more', kind: 'text' })
      },
    }),
    ...refusalsOf(calls.update, root, {
      duplicate_name: async () => {
        await root.customField.insert({ name: 'Held', kind: 'text' })
        return { kid: await text(), name: 'held', kind: 'text' }
      },
      custom_field_kind_fixed: async () => ({ kid: await text(), name: unique('Field'), kind: 'number' }),
    }),
  }
}
