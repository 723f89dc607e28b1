import { contract } from '@mdm/contract'
import type { Feature } from '../feature.ts'
import { refusalsOf } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import type { Stage } from '../stage.ts'

const calls = contract.opsClientCode.calls

/** Codes of clients. They are nobody's: any kid does. */
export const clientCode: Feature = {
  inputs: (t) => ({
    'ops/client_code/paging': {},
    'ops/client_code/get': { kid: t.log_kid },
    'ops/client_code/exists': { code: 'AB123' },
    'ops/client_code/insert': { code: 'AB123', name: 'Sweep' },
    'ops/client_code/update': { kid: t.log_kid, code: 'AB124', name: 'Sweep 2' },
    'ops/client_code/delete': { kid: t.log_kid },
  }),
  refusals,
}

function refusals({ operator }: Stage): Refusals {
  const made = async (code: string, name: string) => (await operator.opsClientCode.insert({ code, name })).kid
  return {
    ...refusalsOf(calls.insert, operator, {
      duplicate_code: async () => {
        await made('AAAA1', 'First')
        return { code: 'aaaa1', name: 'Second' }
      },
      duplicate_name: async () => {
        await made('AAAA2', 'Held name')
        return { code: 'AAAA3', name: 'held NAME' }
      },
    }),
    ...refusalsOf(calls.update, operator, {
      duplicate_code: async () => {
        await made('AAAA4', 'Fourth')
        return { kid: await made('AAAA5', 'Fifth'), code: 'AAAA4', name: 'Fifth' }
      },
      duplicate_name: async () => {
        await made('AAAA6', 'Sixth')
        return { kid: await made('AAAA7', 'Seventh'), code: 'AAAA7', name: 'Sixth' }
      },
    }),
  }
}
