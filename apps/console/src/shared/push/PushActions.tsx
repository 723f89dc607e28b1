import { Button } from 'antd'
import { useState } from 'react'
import { pushTitles } from '@mdm/contract'
import type { PushTaskTerminal } from '@mdm/contract'
import { api, useWrite } from '../../core/api.ts'
import { notify } from '../../core/notices.ts'
import { DisabledReason } from '../../ui/dialog/DisabledReason.tsx'
import { ConfirmDanger } from '../../ui/dialog/ConfirmDanger.tsx'
import { May } from '../../core/session.tsx'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { retryNeeds, usePushLabels } from './push-labels.ts'

/** Cancel and retry of one device's part of a push task; dimmed with the reason where the state forbids it. */
export function PushActions({ row, size = 'small' }: { row: PushTaskTerminal; size?: 'small' | 'middle' }) {
  const { t, because } = usePushLabels()
  const textOf = useTextOf()
  const [is_asking, setAsking] = useState(false)
  const one = { push_task_kid: row.push_task_kid, terminal_kid: row.terminal_kid }
  const cancel = useWrite(api.pushTask.cancel, {
    onSuccess: ({ asked }) => {
      notify.ok(asked > 0 ? t('cancel_sent') : t('cancel_done'))
      setAsking(false)
    },
  })
  const retry = useWrite(api.pushTask.retry, { done: t('retry_done') })
  const not = { cancel: because.cancel(row), retry: because.retry(row) }
  return (
    <span className="row-actions">
      <May needs={retryNeeds(row.type)}>
        <DisabledReason because={not.retry}>
          <Button size={size} disabled={!!not.retry} loading={retry.isPending} onClick={() => void retry.run(one)}>
            {t('retry')}
          </Button>
        </DisabledReason>
      </May>
      <May needs="deviceDetailTask:cancel">
        <DisabledReason because={not.cancel}>
          <Button size={size} disabled={!!not.cancel} onClick={() => setAsking(true)}>
            {t('common:cancel')}
          </Button>
        </DisabledReason>
      </May>
      {is_asking && (
        <ConfirmDanger
          title={t('cancel_title')}
          submit={t('cancel')}
          dismiss={t('cancel_keep')}
          loading={cancel.isPending}
          submitError={cancel.error}
          onConfirm={() => cancel.mutateAsync(one)}
          onClose={() => setAsking(false)}
        >
          <p>
            {textOf(pushTitles[row.type])} {row.summary}
          </p>
          <p>{t('cancel_hint')}</p>
        </ConfirmDanger>
      )}
    </span>
  )
}
