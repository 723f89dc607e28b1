import { api } from '../../api.ts'
import { OperationLog } from './OperationLog.tsx'
import { operationLogList } from './screens.ts'

export default function OperationLogPage() {
  return <OperationLog id="operation-log-list" screen={operationLogList.title} calls={api.operationLog} />
}
