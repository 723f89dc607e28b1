import { pages } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { isOutside, useMay, useSession } from '../../core/session.tsx'
import { OperationLog } from './OperationLog.tsx'
import OpsOperationLogPage from './OpsOperationLogPage.tsx'

/** An operator outside of all customers may open it too (section 2): it is the log of all where that may be read, else the provider's own. */
export default function OperationLogPage() {
  const may_all = useMay('opsOperationLogList')
  if (isOutside(useSession()) && may_all) return <OpsOperationLogPage />
  return <OperationLog id="operation-log-list" page={pages.operationLogList} calls={api.operationLog} />
}
