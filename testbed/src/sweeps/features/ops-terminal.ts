import { contract } from '@mdm/contract'
import type { Feature } from '../feature.ts'
import { refusalsOf } from '../refusals.ts'

/** Devices of all customers, as the provider sees them. */
export const opsTerminal: Feature = {
  inputs: () => ({
    'ops/terminal/paging': { text: 'sweep' },
    'ops/terminal/paging_scrapped': {},
    'ops/terminal/restore': { sns: ['NOBODY'] },
  }),
  refusals: ({ operator }) =>
    refusalsOf(contract.opsTerminal.calls.restore, operator, { sn_not_scrapped: () => ({ sns: ['NEVER-SCRAPPED'] }) }),
}
