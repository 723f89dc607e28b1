import { contract } from '@mdm/contract'
import type { Feature } from '../feature.ts'
import { refusalsOf } from '../refusals.ts'

/** Lists as files. */
export const listExport: Feature = {
  inputs: () => ({
    'list_export/insert': {
      path: 'terminal/paging',
      input: {},
      format: 'csv',
      name: 'sweep',
      zone_id: 'UTC',
      columns: [{ key: 'sn', title: 'SN' }],
    },
  }),
  refusals: (s) =>
    refusalsOf(contract.listExport.calls.insert, s.root, {
      export_not_possible: () => ({
        path: 'terminal/get',
        input: {},
        format: 'csv',
        name: 'none',
        zone_id: 'UTC',
        columns: [{ key: 'sn', title: 'SN' }],
      }),
    }),
  open_outside: [contract.listExport.calls.insert],
}
