import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CloudFile } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { ChoiceTable, choice_page_size, useTyped } from '../../shared/devices-picker/ChoiceTable.tsx'
import { useCount } from '../../ui/value/format.ts'
import { Bytes, DateTime } from '../../ui/value/values.tsx'

/** Files that one push may carry (contract, push_task/insert). */
export const max_files = 20

type Props = { value: readonly CloudFile[]; onChange: (files: readonly CloudFile[]) => void }
export function FilesChoice({ value, onChange }: Props) {
  const { t } = useTranslation(['file-cloud', 'common'])
  const count = useCount()
  const typed = useTyped()
  const [page, setPage] = useState(1)
  const query = useCall(
    api.fileCloud.paging,
    { text: typed.text, page, page_size: choice_page_size },
    { keepPrevious: true },
  )
  return (
    <ChoiceTable<CloudFile>
      label={t('step.files')}
      query={query}
      page={page}
      onPage={setPage}
      value={value}
      onChange={onChange}
      max={max_files}
      search={{ ...typed, label: t('search') }}
      chosen={(number) => t('push.files_chosen', { count: number, shown: count(number) })}
      full={t('push.too_many_files', { max: max_files })}
      empty={typed.text ? t('push.no_file') : t('empty')}
      nameOf={({ name }) => name}
      columns={[
        {
          key: 'name',
          title: t('common:name'),
          render: (_, row) => (
            <span className="file-name" title={row.name}>
              {row.name}
            </span>
          ),
        },
        { key: 'size', title: t('column.size'), align: 'right', render: (_, row) => <Bytes value={row.size} /> },
        { key: 'created_by', title: t('column.created_by'), dataIndex: 'created_by' },
        { key: 'created_at', title: t('common:created_at'), render: (_, row) => <DateTime at={row.created_at} /> },
      ]}
    />
  )
}

/**
 * The files that an address names. The list is read page by page, newest first, until all are found: a link is
 * made from a row that someone has just seen.
 */
export function useFilesOf(kids: readonly string[]) {
  const [page, setPage] = useState(1)
  const [found, setFound] = useState<readonly CloudFile[]>([])
  const missing = kids.filter((kid) => !found.some((file) => file.kid === kid))
  const query = useCall(api.fileCloud.paging, { page, page_size: 200 }, { enabled: missing.length > 0 })
  const data = query.data
  const [seen, setSeen] = useState<typeof data>()
  if (data && data !== seen && missing.length > 0) {
    setSeen(data)
    setFound([...found, ...data.items.filter(({ kid }) => missing.includes(kid))])
    if (data.items.length === 200) setPage(data.page + 1)
  }
  const is_last = data !== undefined && data === seen && data.items.length < 200
  return {
    files: kids.flatMap((kid) => found.find((file) => file.kid === kid) ?? []),
    error: query.error,
    is_pending: missing.length > 0 && !is_last && !query.error,
    missing: missing.length,
  }
}
