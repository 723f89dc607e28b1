import { useEffect, useEffectEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CloudFile } from '@mdm/contract'
import { api, useCall } from '../../../core/api.ts'
import { ChoiceTable, choice_page_size, useTyped } from '../../devices-picker/ChoiceTable.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { useCount } from '../../../ui/value/format.ts'
import { Bytes, DateTime } from '../../../ui/value/values.tsx'
import { max_files } from './max-files.ts'

type Props = { value?: readonly string[]; onChange?: (kids: readonly string[]) => void }
const none: readonly string[] = []

/** The control of a form's field: files of the file cloud by their kids. */
export function FilesChoice({ value = none, onChange }: Props) {
  const { t } = useTranslation(['push/wizard', 'common'])
  const count = useCount()
  const typed = useTyped()
  const [page, setPage] = useState(1)
  const [known, setKnown] = useState<readonly CloudFile[]>([])
  const [has_gone, setGone] = useState(false)
  const unknown = useFilesOf(value.filter((kid) => !known.some((file) => file.kid === kid)))
  const files = value.flatMap((kid) => [...known, ...unknown.files].find((file) => file.kid === kid) ?? [])
  const is_settled = !unknown.is_pending && !unknown.error
  const drop = useEffectEvent(() => {
    setGone(true)
    onChange?.(files.map(({ kid }) => kid))
  })
  const is_missing = is_settled && unknown.missing > 0
  useEffect(() => {
    if (is_missing) drop()
  }, [is_missing])
  const query = useCall(
    api.fileCloud.paging,
    { text: typed.text, page, page_size: choice_page_size },
    { keepPrevious: true },
  )
  return (
    <>
      {has_gone && <Failure error={new Error(t('files.gone'))} is_line />}
      <ChoiceTable<CloudFile>
        label={t('files.label')}
        query={query}
        page={page}
        onPage={setPage}
        value={files}
        onChange={(rows) => {
          setKnown(rows)
          onChange?.(rows.map(({ kid }) => kid))
        }}
        max={max_files}
        search={{ ...typed, label: t('files.search') }}
        chosen={(number) => t('files.chosen', { count: number, shown: count(number) })}
        full={t('files.full', { max: max_files })}
        empty={t(typed.text ? 'files.none_match' : 'files.none')}
        nameOf={({ name }) => name}
        columns={[
          {
            key: 'name',
            title: t('common:name'),
            render: (_, row) => (
              <span className="push-file-name" title={row.name}>
                {row.name}
              </span>
            ),
          },
          { key: 'size', title: t('files.size'), align: 'right', render: (_, row) => <Bytes value={row.size} /> },
          { key: 'created_by', title: t('files.created_by'), dataIndex: 'created_by' },
          { key: 'created_at', title: t('common:created_at'), render: (_, row) => <DateTime at={row.created_at} /> },
        ]}
      />
    </>
  )
}

/**
 * The files that kids name. The list is read page by page, newest first, until all are found: a link is made from a row that
 * someone has just seen.
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
