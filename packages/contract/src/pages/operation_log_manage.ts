import { text } from '../wire.ts'
import { page, pageGroup } from './kit.ts'

export const operationLogManage = pageGroup(
  'operation-log-manage',
  text('Operations', 'Vận hành', '运维管理'),
  { icon: 'operation', end_type: 1 },
  {
    operationLogList: page('/operation-log-list', text('Operation log', 'Nhật ký thao tác', '操作日志'), {
      icon: 'log',
      is_open_outside: true,
    }),
  },
)
