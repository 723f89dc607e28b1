import { useTranslation } from 'react-i18next'
import { pushTaskStates, pushTaskTypes } from '@mdm/contract'
import type { Filter } from '../../screen/filters.tsx'
import { ListPage } from '../../screen/ListPage.tsx'
import { useDevice } from './use-device.ts'
import { useDevicePushes, usePushColumns } from './use-device-pushes.tsx'

export default function TaskPage() {
  const { t } = useTranslation(['device-detail', 'push', 'common'])
  const { kid } = useDevice()
  const { list, open, drawer } = useDevicePushes(kid)
  const columns = usePushColumns(
    { summary: t('task.summary'), created_at: t('task.created_at'), with_type: true },
    open,
  )
  const filters: Filter[] = [
    {
      key: 'states',
      kind: 'many',
      label: t('common:state'),
      options: pushTaskStates.map((value) => ({ value, label: t(`push:state.${value}`) })),
    },
    {
      key: 'types',
      kind: 'many',
      label: t('task.type'),
      options: pushTaskTypes.map((value) => ({ value, label: t(`push:type.${value}`) })),
    },
  ]
  return (
    <>
      <ListPage
        is_part
        list={list}
        title={t('task.title')}
        columns={columns}
        filters={filters}
        empty={{ title: t('task.empty'), hint: t('task.empty_hint') }}
        onRow={(row) => open(row.kid)}
      />
      {drawer}
    </>
  )
}
