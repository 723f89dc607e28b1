import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { pushTaskTypes, pushTitles } from '@mdm/contract'
import type { PushTaskRow } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { useGroupFilter } from '../../shared/groups/use-group-filter.tsx'
import { PushDialogs } from './task/PushDialogs.tsx'
import { pushFilterKinds, usePushFilters, usePushStanding } from './task/push-standing.tsx'
import { usePushActs, usePushDialogs } from './task/use-push-acts.tsx'
import { usePushNow } from './task/use-push-now.ts'
import { useTargetText } from './task/use-target-text.ts'
import { usePushSentence } from '../../shared/push/use-push-sentence.ts'
import type { Filter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { useCount } from '../../ui/value/format.ts'
import { Clipped, DateTime } from '../../ui/value/values.tsx'

const open = ({ kid }: PushTaskRow) => link.pushTaskDetail.to({ kid })

export function Tasks({ create }: { create: ReactNode }) {
  const { t } = useTranslation(['push-task', 'push-task/task'])
  const navigate = useNavigate()
  const textOf = useTextOf()
  const list = useListTable(api.pushTask.paging, {
    id: 'push-task-list',
    filters: { ...pushFilterKinds, types: 'texts', schedule_kid: 'text', terminal_group_kid: 'text' },
  })
  const dialog = usePushDialogs(list.rows)
  const acts = usePushActs(dialog)
  const nameOf = (row: PushTaskRow) => row.summary || textOf(pushTitles[row.type])
  return (
    <>
      <ListPage<PushTaskRow>
        is_part
        list={list as never}
        title={t('tab.tasks')}
        columns={useColumns(nameOf)}
        search={t('search')}
        filters={useFilters(list.values.terminal_group_kid)}
        nameOf={nameOf}
        rowActions={(row) => [{ label: t('push-task/task:action.open'), to: open(row) }, ...acts(row)]}
        empty={{ title: t('empty'), hint: t('empty_hint'), action: create }}
        onRow={(row) => void navigate(open(row))}
      />
      <PushDialogs dialog={dialog} />
    </>
  )
}

function useColumns(nameOf: (row: PushTaskRow) => string): Column<PushTaskRow>[] {
  const { t } = useTranslation(['push-task/task', 'push-task', 'common'])
  const textOf = useTextOf()
  const now = usePushNow()
  const standing = usePushStanding()
  const targetText = useTargetText()
  const sentence = usePushSentence()
  const count = useCount()
  const kinds = Object.fromEntries(pushTaskTypes.map((type) => [type, textOf(pushTitles[type])]))
  return [
    {
      key: 'summary',
      title: t('column.content'),
      is_fixed: true,
      render: (_, row) => (
        <span className="push-cell">
          <Link to={open(row)} title={row.description || row.summary}>
            {nameOf(row)}
          </Link>
          <span className="dim" title={sentence(row)}>
            {sentence(row)}
          </span>
        </span>
      ),
    },
    {
      key: 'type',
      title: t('column.kind'),
      export: { labels: kinds },
      render: (_, row) => textOf(pushTitles[row.type]),
    },
    {
      key: 'target',
      title: t('target.column'),
      is_hidden: true,
      export: false,
      render: (_, row) => <Clipped text={targetText(row.target) ?? ''} />,
    },
    ...standing,
    {
      key: 'now',
      title: t('push-task:now'),
      is_hidden: true,
      export: false,
      render: (_, row) => now(row),
    },
    {
      key: 'description',
      title: t('fact.description'),
      is_hidden: true,
      render: (_, row) => row.description,
    },
    {
      key: 'left_out',
      title: t('column.left_out'),
      align: 'right',
      is_hidden: true,
      render: (_, row) => <span className="number">{count(row.left_out)}</span>,
    },
    { key: 'created_by', title: t('column.by'), dataIndex: 'created_by' },
    {
      key: 'created_at',
      title: t('common:created_at'),
      sorter: true,
      render: (_, row) => <DateTime at={row.created_at} />,
    },
    { key: 'start_at', title: t('fact.start'), is_hidden: true, render: (_, row) => <DateTime at={row.start_at} /> },
    {
      key: 'deadline_at',
      title: t('fact.deadline'),
      is_hidden: true,
      render: (_, row) => <DateTime at={row.deadline_at} />,
    },
  ]
}

function useFilters(group: string | undefined): Filter[] {
  const { t } = useTranslation('push-task/task')
  const textOf = useTextOf()
  const standing = usePushFilters()
  const schedules = useCall(api.pushSchedule.list, {}).data ?? []
  const of_group = useGroupFilter({ label: t('target.filter'), value: group })
  return [
    {
      key: 'types',
      kind: 'many',
      label: t('column.kind'),
      options: pushTaskTypes.map((value) => ({ value, label: textOf(pushTitles[value]) })),
    },
    ...(of_group ? [of_group] : []),
    ...standing,
    ...(schedules.length > 0
      ? [
          {
            key: 'schedule_kid',
            kind: 'one',
            label: t('fact.recurring'),
            options: schedules.map(({ kid, name }) => ({ value: kid, label: name })),
          } satisfies Filter,
        ]
      : []),
  ]
}
