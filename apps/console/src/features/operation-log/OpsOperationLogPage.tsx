import { pages } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { OperationLog } from './OperationLog.tsx'

export default function OpsOperationLogPage() {
  return (
    <OperationLog id="ops-operation-log-list" page={pages.opsOperationLogList} calls={api.opsOperationLog} is_ops />
  )
}
