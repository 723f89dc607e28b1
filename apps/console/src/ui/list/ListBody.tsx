import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Empty } from '../Empty.tsx'
import { Failure } from '../Failure.tsx'
import { SkeletonRows } from './SkeletonRows.tsx'
import type { List } from './use-list-table.ts'

export type EmptyText = { title: string; hint?: string; action?: ReactNode }
type Props = {
  query: Pick<List<{ kid: string }>['query'], 'isPending' | 'error' | 'refetch'>
  /** How many columns it will have. */
  columns: number
  is_empty: boolean
  /** Something narrows the rows, which `onClear` takes back. */
  is_filtered: boolean
  onClear: () => void
  /** What narrows them. */
  none_match_hint?: string
  empty: EmptyText
  /** The rows. */
  children: ReactNode
}

/** The rows of a list or tree, or what stands in their place: they are on their way, did not come, none fits, there is none. */
export function ListBody(props: Props) {
  const { query, columns, is_empty, is_filtered, onClear, none_match_hint, empty, children } = props
  const { t } = useTranslation('common')
  if (query.isPending) return <SkeletonRows columns={columns} label={t('list.loading')} />
  if (!is_empty) return children
  if (query.error) return <Failure error={query.error} retry={query.refetch} />
  if (is_filtered) {
    return (
      <Empty title={t('list.none_match')} hint={none_match_hint}>
        <button type="button" className="link" onClick={onClear}>
          {t('list.clear_filters')}
        </button>
      </Empty>
    )
  }
  return (
    <Empty title={empty.title} hint={empty.hint}>
      {empty.action}
    </Empty>
  )
}
