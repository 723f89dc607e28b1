import { screen } from '../../screen/screen.ts'

export const operationLogList = screen('/operation-log-list', {
  group: 'operation-log-manage',
  title: 'operationLogList',
  needs: 'operationLogList',
  texts: ['operation-log'],
  page: () => import('./OperationLogPage.tsx'),
})
export const opsOperationLogList = screen('/ops-operation-log-list', {
  group: 'mdm-manage',
  title: 'opsOperationLogList',
  needs: 'opsOperationLogList',
  end_type: 2,
  texts: ['operation-log'],
  page: () => import('./OpsOperationLogPage.tsx'),
})
export const operationLogScreens = [operationLogList, opsOperationLogList]
