import { useEffect, useEffectEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CloudFile } from '@mdm/contract'
import { api, useCall } from '../../../core/api.ts'
import { ChoiceTable, choice_page_size } from '../../../shared/devices-picker/ChoiceTable.tsx'
import { useTyped } from '../../../ui/form/search-select.ts'
import { Failure } from '../../../ui/Failure.tsx'
import { useCount } from '../../../ui/value/format.ts'
import { StateBadge } from '../../../ui/value/StateBadge.tsx'
import { Bytes, Dash, DateTime } from '../../../ui/value/values.tsx'
import { max_files } from './max-files.ts'

type Props = { value?: readonly string[]; onChange?: (kids: readonly string[]) => void }
const none: readonly string[] = []

/** The control of a form's field: files and folders of the file cloud by their kids. */
export function FilesChoice({ value = none, onChange }: Props) {
  const { t } = useTranslation(['push-task/wizard', 'common'])
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
    { text: typed.text, page, page_size: choice_page_size, is_deep: true, sort: 'created_at', order: 'desc' },
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
              <span className="push-file-name" title={`${row.path}${row.name}`}>
                <span className="dim">{row.path}</span>
                {entryName(row)} {row.is_broken && <StateBadge tone="bad">{t('files.broken')}</StateBadge>}
              </span>
            ),
          },
          {
            key: 'size',
            title: t('files.size'),
            align: 'right',
            render: (_, row) => (row.is_folder ? <Dash /> : <Bytes value={row.size} />),
          },
          { key: 'created_by', title: t('files.created_by'), dataIndex: 'created_by' },
          { key: 'created_at', title: t('common:created_at'), render: (_, row) => <DateTime at={row.created_at} /> },
        ]}
      />
    </>
  )
}

/** A folder as it is told from a file. */
export const entryName = ({ name, is_folder }: CloudFile): string => (is_folder ? `${name}/` : name)

/** The files and folders that kids name, at most as many as one push takes. */
export function useFilesOf(kids: readonly string[]) {
  const wanted = kids.slice(0, max_files)
  const query = useCall(
    api.fileCloud.paging,
    { kids: wanted, page_size: max_files },
    { enabled: wanted.length > 0, keepPrevious: true },
  )
  const found = query.data?.items ?? []
  const files = wanted.flatMap((kid) => found.find((file) => file.kid === kid) ?? [])
  const is_pending = wanted.length > 0 && !query.error && (query.isPending || query.isPlaceholderData)
  return { files, error: query.error, is_pending, missing: is_pending ? wanted.length : wanted.length - files.length }
}
