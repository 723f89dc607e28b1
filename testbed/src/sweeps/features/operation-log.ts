import { contract } from '@mdm/contract'
import type { Feature } from '../feature.ts'

declare module '../feature.ts' {
  interface Things {
    log_kid: string
  }
}

/** What was done, and by whom. */
export const operationLog: Feature = {
  async make({ call }) {
    return { log_kid: (await call.operationLog.paging({})).items[0]!.kid }
  },
  inputs: (t) => ({
    'operation_log/paging': { operator_kid: t.user_kid },
    'operation_log/list_operator': { text: 'a' },
    'ops/operation_log/list_operator': { text: 'a' },
    'operation_log/get': { kid: t.log_kid },
    'ops/operation_log/paging': {},
    'ops/operation_log/get': { kid: t.log_kid },
  }),
  // Outside of customers it is the log of the provider's own account.
  of_provider: Object.values(contract.operationLog.calls),
}
