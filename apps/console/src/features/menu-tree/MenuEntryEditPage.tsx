import { Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import { api, useCall, useWrite } from '../../core/api.ts'
import { Failure } from '../../ui/Failure.tsx'
import { nested } from '../../ui/list/tree.ts'
import { refreshMenu } from '../../core/menu-refresh.ts'
import { MenuEntryForm } from './MenuEntryForm.tsx'
import { link } from '../../core/links.ts'

export default function MenuEntryEditPage() {
  const { t } = useTranslation('menu-tree')
  const navigate = useNavigate()
  const kid = useSearchParams()[0].get('kid') ?? ''
  const back = () => void navigate(link.menuTreeList.to())
  const query = useCall(api.opsMenuTree.list, {})
  const entry = useCall(api.opsMenuTree.get, { kid })
  const update = useWrite(api.opsMenuTree.update, { done: t('saved'), onSuccess: () => void refreshMenu() })
  const error = query.error ?? entry.error
  if (error) return <Failure error={error} retry={() => Promise.all([query.refetch(), entry.refetch()])} />
  if (!query.data || !entry.data) return <Skeleton active />
  return (
    <MenuEntryForm
      tree={nested(query.data, ({ p_id }) => p_id)}
      of={entry.data}
      p_id={entry.data.p_id ?? 'ROOT'}
      loading={update.isPending}
      submitError={update.error}
      onSubmit={(draft) => update.mutateAsync({ ...draft, kid })}
      onDone={back}
      onCancel={back}
    />
  )
}
