import { Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import { api, useCall, useWrite } from '../../core/api.ts'
import { Failure } from '../../ui/Failure.tsx'
import { nested } from '../../ui/list/tree.ts'
import { refreshMenu } from '../../core/menu-refresh.ts'
import { MenuEntryForm } from './MenuEntryForm.tsx'
import { link } from '../../core/links.ts'

export default function MenuEntryAddPage() {
  const { t } = useTranslation('menu-tree')
  const navigate = useNavigate()
  const p_id = useSearchParams()[0].get('p_id')
  const back = () => void navigate(link.menuTreeList.to())
  const query = useCall(api.opsMenuTree.list, {})
  const insert = useWrite(api.opsMenuTree.insert, { done: t('added'), onSuccess: () => void refreshMenu() })
  if (query.error) return <Failure error={query.error} retry={query.refetch} />
  if (!query.data) return <Skeleton active />
  const parent = query.data.find(({ kid }) => kid === p_id)
  return (
    <MenuEntryForm
      tree={nested(query.data, (entry) => entry.p_id)}
      of={null}
      p_id={parent && parent.type !== 'operation' ? parent.kid : 'ROOT'}
      loading={insert.isPending}
      submitError={insert.error}
      onSubmit={(draft) => insert.mutateAsync(draft)}
      onDone={back}
      onCancel={back}
    />
  )
}
