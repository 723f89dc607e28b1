import { DownloadOutlined, LoginOutlined, RedoOutlined } from '@ant-design/icons'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { OperationTaskAct, OperationTaskRow } from '@mdm/contract'
import { api, download, useWrite } from '../../core/api.ts'
import { notify } from '../../core/notices.ts'
import { enterCustomer } from '../../core/session.tsx'
import { startDownload } from '../../core/start-download.ts'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import type { RowAction } from '../../ui/list/RowActions.tsx'
import { useTaskName } from './parts.tsx'

/** What can be done with a task, in its row and on its page alike. */
export function useTaskActs(onCanceled?: () => unknown): {
  acts: (task: OperationTaskRow) => RowAction[]
  dialog: ReactNode
} {
  const { t } = useTranslation('operation-task')
  const nameOf = useTaskName()
  const [canceling, setCanceling] = useState<OperationTaskRow | null>(null)
  const retry = useWrite(api.opsOperationTask.retry, { done: t('retried') })
  const file = useWrite(api.opsOperationTask.download, { onSuccess: startDownload })
  const why = ({ can, has_support }: OperationTaskRow, act: OperationTaskAct): string | undefined => {
    if (can.includes(act)) return undefined
    return t(has_support.includes(act) ? `why_not.${act}` : `unsupported.${act}`)
  }
  const acts = (task: OperationTaskRow): RowAction[] => {
    const { kid, account_kid, account_name } = task
    const is_sheet = task.has_support.includes('result')
    return [
      {
        needs: 'operationTaskList:result',
        icon: <DownloadOutlined aria-hidden />,
        label: t('download_of', { name: nameOf(task) }),
        hint: t('download'),
        disabled_reason: why(task, is_sheet ? 'result' : 'download'),
        onSelect: () =>
          is_sheet ? void download(api.opsOperationTask.result, { kid }).catch(notify.fail) : void file.run({ kid }),
      },
      {
        needs: 'operationTaskList:retry',
        icon: <RedoOutlined aria-hidden />,
        label: t('retry_of', { name: nameOf(task) }),
        hint: t('retry'),
        disabled_reason: why(task, 'retry'),
        loading: retry.isPending && retry.variables?.kid === kid,
        onSelect: () => void retry.run({ kid }),
      },
      ...(account_kid === null
        ? []
        : [
            {
              needs: 'externalUserManageList:enter' as const,
              icon: <LoginOutlined aria-hidden />,
              label: t('enter_of', { name: account_name }),
              hint: t('enter', { name: account_name }),
              disabled_reason: task.can_enter ? undefined : t('why_not.enter'),
              onSelect: () => void enterCustomer(account_kid).catch(notify.fail),
            },
          ]),
      {
        needs: 'operationTaskList:cancel',
        label: t('cancel'),
        danger: true,
        disabled_reason: why(task, 'cancel'),
        onSelect: () => setCanceling(task),
      },
    ]
  }
  const dialog = canceling && (
    <ConfirmWrite
      call={api.opsOperationTask.cancel}
      input={{ kid: canceling.kid }}
      title={t('cancel_dialog.title', { name: nameOf(canceling) })}
      submit={t('cancel_dialog.submit')}
      dismiss={t('cancel_dialog.dismiss')}
      done={t('cancel_dialog.done', { name: nameOf(canceling) })}
      {...(onCanceled && (canceling.kind === 'os_package' || canceling.kind === 'os_delta') && { leave: onCanceled })}
      onClose={() => setCanceling(null)}
    >
      <p>{t(`cancel_dialog.what.${whatOf(canceling)}`, { name: canceling.account_name })}</p>
    </ConfirmWrite>
  )
  return { acts, dialog }
}

const whatOf = ({ kind }: OperationTaskRow): 'import' | 'package' | 'build' | 'scrapping' | 'other' => {
  if (kind === 'device_import' || kind === 'policy_import') return 'import'
  if (kind === 'os_package' || kind === 'os_delta') return 'package'
  if (kind === 'os_build') return 'build'
  return kind === 'scrapping' ? 'scrapping' : 'other'
}
