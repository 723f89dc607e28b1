import { api } from '../../api.ts'
import { OperationLog } from './OperationLog.tsx'

export default function OperationLogPage() {
  return <OperationLog id="operation-log-list" page="operationLogList" calls={api.operationLog} />
}
