import { api } from '../../api.ts'
import { OperationLog } from './OperationLog.tsx'
import { opsOperationLogList } from './screens.ts'

export default function OpsOperationLogPage() {
  return (
    <OperationLog id="ops-operation-log-list" screen={opsOperationLogList.title} calls={api.opsOperationLog} is_ops />
  )
}
