import { useTranslation } from 'react-i18next'
import { link } from '../../core/links.ts'
import { usePushList } from '../push-task/public.ts'
import { ListPage } from '../../ui/list/ListPage.tsx'

export function OsPushes() {
  const { t } = useTranslation('os-push')
  const { rows, dialogs } = usePushList({
    id: 'user-os-push-list',
    types: ['os'],
    content: t('column.version'),
    open: (row) => link.userOsPush.to({ task: row.kid }),
  })
  return (
    <>
      <ListPage
        {...rows}
        is_part
        title={t('tab.pushes')}
        search={t('search')}
        empty={{ title: t('empty'), hint: t('empty_hint') }}
      />
      {dialogs}
    </>
  )
}
