import { pages } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { isOutside, useSession } from '../../core/session.tsx'
import { OperationLog } from './OperationLog.tsx'
import OpsOperationLogPage from './OpsOperationLogPage.tsx'

/** An operator outside of all customers may open it too (section 2): what was done there is in the provider's log. */
export default function OperationLogPage() {
  if (isOutside(useSession())) return <OpsOperationLogPage />
  return <OperationLog id="operation-log-list" page={pages.operationLogList} calls={api.operationLog} />
}
