import { useTranslation } from 'react-i18next'
import { pushTaskTypes, pushTitles } from '@mdm/contract'
import { useTextOf } from '../../../i18n/use-text-of.ts'
import { usePushRowActions, usePushStateFilter } from '../../push-task/public.ts'
import type { Filter } from '../../../ui/list/filters.tsx'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import { useDevice } from '../use-device.ts'
import { useDevicePushes, usePushColumns } from './use-device-pushes.tsx'

export default function TaskPage() {
  const { t } = useTranslation(['device-detail', 'push'])
  const textOf = useTextOf()
  const { kid } = useDevice()
  const { list, open, drawer } = useDevicePushes(kid)
  const columns = usePushColumns(
    { summary: t('task.summary'), created_at: t('task.created_at'), with_type: true },
    open,
  )
  const state_filter = usePushStateFilter()
  const filters: Filter[] = [
    state_filter,
    {
      key: 'types',
      kind: 'many',
      label: t('task.type'),
      options: pushTaskTypes.map((value) => ({ value, label: textOf(pushTitles[value]) })),
    },
  ]
  return (
    <>
      <ListPage
        is_part
        list={list}
        title={t('task.title')}
        columns={columns}
        rowActions={usePushRowActions()}
        filters={filters}
        empty={{ title: t('task.empty'), hint: t('task.empty_hint') }}
        onRow={(row) => open(row.kid)}
      />
      {drawer}
    </>
  )
}
