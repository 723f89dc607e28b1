import { Button } from 'antd'
import { useState } from 'react'
import { pushTitles } from '@mdm/contract'
import type { PushTaskTerminal } from '@mdm/contract'
import { api, useWrite } from '../../core/api.ts'
import { notify } from '../../core/notices.ts'
import { DisabledReason } from '../../ui/dialog/DisabledReason.tsx'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import { May } from '../../core/session.tsx'
import { useTextOf } from '../../i18n/use-text-of.ts'
import type { RowAction } from '../../ui/list/RowActions.tsx'
import { retryNeeds, usePushLabels } from '../../shared/push/push-labels.ts'
import { useRetried } from './task/use-retried.ts'

type Props = { row: PushTaskTerminal; size?: 'small' | 'middle' }
const cancel_needs = 'deviceDetailTask:cancel'

/** Retry and cancel of one device's part of a push task; dimmed with the reason where the state forbids it. */
export function PushActions(props: Props) {
  return (
    <span className="row-actions">
      <May needs={retryNeeds(props.row.type)}>
        <RetryButton {...props} />
      </May>
      <May needs={cancel_needs}>
        <CancelButton {...props} />
      </May>
    </span>
  )
}

/** The same in a list of them. */
export function usePushRowActions(): (row: PushTaskTerminal) => RowAction[] {
  const { t } = usePushLabels()
  return (row) => [
    { needs: retryNeeds(row.type), label: t('retry'), own: <RetryButton row={row} /> },
    { needs: cancel_needs, label: t('common:cancel'), own: <CancelButton row={row} /> },
  ]
}

const partOf = ({ push_task_kid, terminal_kid }: PushTaskTerminal) => ({ push_task_kid, terminal_kid })

function RetryButton({ row, size = 'small' }: Props) {
  const { t, disabled_reason } = usePushLabels()
  const retry = useWrite(api.pushTask.retry, { onSuccess: useRetried() })
  const reason = disabled_reason.retry(row)
  return (
    <DisabledReason disabled_reason={reason}>
      <Button size={size} disabled={!!reason} loading={retry.isPending} onClick={() => void retry.run(partOf(row))}>
        {t('retry')}
      </Button>
    </DisabledReason>
  )
}

function CancelButton({ row, size = 'small' }: Props) {
  const { t, disabled_reason } = usePushLabels()
  const textOf = useTextOf()
  const [is_asking, setAsking] = useState(false)
  const reason = disabled_reason.cancel(row)
  return (
    <>
      <DisabledReason disabled_reason={reason}>
        <Button size={size} disabled={!!reason} onClick={() => setAsking(true)}>
          {t('common:cancel')}
        </Button>
      </DisabledReason>
      {is_asking && (
        <ConfirmWrite
          call={api.pushTask.cancel}
          input={partOf(row)}
          title={t('cancel_title')}
          submit={t('cancel')}
          dismiss={t('cancel_keep')}
          onDone={({ asked }) => notify.ok(asked > 0 ? t('cancel_sent') : t('cancel_done'))}
          onClose={() => setAsking(false)}
        >
          <p>
            {textOf(pushTitles[row.type])} {row.summary}
          </p>
          <p>{t('cancel_hint')}</p>
        </ConfirmWrite>
      )}
    </>
  )
}
