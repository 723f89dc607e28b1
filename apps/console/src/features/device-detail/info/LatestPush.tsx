import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { pushTitles } from '@mdm/contract'
import { api, useCall } from '../../../core/api.ts'
import { link } from '../../../core/links.ts'
import { useMay } from '../../../core/session.tsx'
import { listText } from '../../../i18n/list-text.ts'
import { useTextOf } from '../../../i18n/use-text-of.ts'
import { usePushLabels } from '../../../shared/push/push-labels.ts'
import { PushStateBadge } from '../../push-task/public.ts'

/** What was asked of the device last and what became of it, on every tab: whoever rang it sees here that it rang. */
export function LatestPush({ kid }: { kid: string }) {
  const { t } = useTranslation('device-detail')
  const textOf = useTextOf()
  const { reason } = usePushLabels()
  const may_see = useMay('deviceDetailTask')
  const newest = { terminal_kid: kid, page_size: 1, sort: 'created_at', order: 'desc' } as const
  const [row] = useCall(api.pushTask.paging_terminal, newest, { enabled: may_see }).data?.items ?? []
  if (!row) return null
  const why = row.state === 'failed' ? reason(row) : undefined
  return (
    <span className="device-latest">
      <span className="dim">{t('latest_push')}</span>
      <Link to={link.deviceDetailTask.to({ kid, open: row.push_task_kid })}>
        {listText([textOf(pushTitles[row.type]), row.summary])}
      </Link>
      <PushStateBadge type={row.type} state={row.state} since={row.state_at} cancel_asked={row.cancel_asked} />
      {why && <span className="dim">{why}</span>}
    </span>
  )
}
