import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { leftOutReasons } from '@mdm/contract'
import type { Out } from '@mdm/contract'
import { api } from '../../../core/api.ts'
import { link } from '../../../core/links.ts'
import { useMay } from '../../../core/session.tsx'
import type { Filter } from '../../../ui/list/filters.tsx'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import type { Column } from '../../../ui/list/ListPage.tsx'
import { useListTable } from '../../../ui/list/use-list-table.ts'
import { Code, OrDash } from '../../../ui/value/values.tsx'
import { useLeftOutWords } from './left-out-words.ts'

type Row = Out<typeof api.pushTask.paging_left_out>['items'][number] & { kid: string }

/** Devices that were meant and do not get it, each with its reason. */
export function LeftOut({ kid }: { kid: string }) {
  const { t } = useTranslation('push-task/task')
  const wordsOf = useLeftOutWords()
  const may_open = useMay('deviceDetailInfo')
  const list = useListTable(api.pushTask.paging_left_out, {
    id: 'push-task-left-out',
    filters: { reasons: 'texts' },
    fixed: { push_task_kid: kid },
  })
  const rows: Row[] = list.rows.map((row) => ({ ...row, kid: row.terminal_kid }))
  const columns: Column<Row>[] = [
    {
      key: 'sn',
      title: t('column.sn'),
      sorter: true,
      is_fixed: true,
      render: (_, row) =>
        may_open && row.reason !== 'gone' ? (
          <Link to={link.deviceDetailInfo.to({ kid: row.terminal_kid })}>
            <Code value={row.sn} />
          </Link>
        ) : (
          <Code value={row.sn} />
        ),
    },
    { key: 'name', title: t('column.alias'), render: (_, row) => row.name },
    {
      key: 'reason',
      title: t('column.reason'),
      export: { labels: Object.fromEntries(leftOutReasons.map((value) => [value, wordsOf(value).words])) },
      render: (_, { reason }) => (
        <OrDash>
          {reason && (
            <>
              {wordsOf(reason).words} <span className="dim push-left-out-hint">{wordsOf(reason).hint}</span>
            </>
          )}
        </OrDash>
      ),
    },
  ]
  const filter: Filter = {
    key: 'reasons',
    kind: 'many',
    label: t('reason'),
    options: leftOutReasons.map((value) => ({ value, label: wordsOf(value).words })),
  }
  return (
    <ListPage<Row>
      list={{ ...list, rows } as never}
      is_part
      title={t('tab.left_out')}
      columns={columns}
      filters={[filter]}
      empty={{ title: t('left_out_none'), hint: t('left_out_none_hint') }}
    />
  )
}
