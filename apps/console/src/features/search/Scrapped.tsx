import { UndoOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { pages } from '@mdm/contract'
import type { ScrappedRow } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { Clipped, Code, DateTime } from '../../ui/value/values.tsx'
import { useMay } from '../../core/session.tsx'
import { AccountSearch } from './AccountSearch.tsx'
import { Highlight } from './Highlight.tsx'

/** SNs that nobody can register, and the way back for those that were scrapped by mistake. */
export function Scrapped({ choice }: { choice: ReactNode }) {
  const { t } = useTranslation('search')
  const may_restore = useMay('searchList:restore')
  const [restoring, setRestoring] = useState<readonly ScrappedRow[] | null>(null)
  const list = useListTable(api.opsTerminal.paging_scrapped, {
    id: 'search-scrapped',
    filters: { text: 'text', account_text: 'text' },
  })
  return (
    <>
      <ListPage
        list={list}
        page={pages.searchList}
        actions={choice}
        columns={useColumns(list.values)}
        rowActions={(row) => [
          {
            needs: 'searchList:restore',
            icon: <UndoOutlined aria-hidden />,
            text: t('scrapped.restore'),
            label: t('scrapped.restore_of', { sn: row.sn }),
            onSelect: () => setRestoring([row]),
          },
        ]}
        search={t('scrapped.search')}
        primary={
          <AccountSearch value={list.values.account_text} onSearch={(account_text) => list.set({ account_text })} />
        }
        nameOf={({ sn }) => sn}
        {...(may_restore && {
          bulk: () => (
            <Button size="small" onClick={() => setRestoring(list.selection.rows)}>
              {t('scrapped.restore')}
            </Button>
          ),
        })}
        empty={{ title: t('scrapped.empty'), hint: t('scrapped.empty_hint') }}
      />
      {restoring && <RestoreDialog rows={restoring} onClose={() => setRestoring(null)} onDone={list.selection.clear} />}
    </>
  )
}

type DialogProps = { rows: readonly ScrappedRow[]; onClose: () => void; onDone: () => void }
function RestoreDialog({ rows, onClose, onDone }: DialogProps) {
  const { t } = useTranslation('search')
  const count = rows.length
  const shown = 6
  return (
    <ConfirmWrite
      call={api.opsTerminal.restore}
      input={{ sns: rows.map(({ sn }) => sn) }}
      title={t('scrapped.title', { count })}
      submit={t('scrapped.submit', { count })}
      done={t('scrapped.done', { count })}
      onDone={onDone}
      onClose={onClose}
    >
      <ul className="search-restored">
        {rows.slice(0, shown).map(({ sn, account_name }) => (
          <li key={sn}>
            <Code value={sn} /> <span className="dim">{account_name}</span>
          </li>
        ))}
        {count > shown && <li className="dim">+{count - shown}</li>}
      </ul>
      <p>{t('scrapped.text')}</p>
    </ConfirmWrite>
  )
}

type Searched = { text?: string; account_text?: string }
function useColumns({ text, account_text }: Searched): Column<ScrappedRow>[] {
  const { t } = useTranslation('search')
  return [
    {
      key: 'sn',
      title: t('column.sn'),
      sorter: true,
      is_fixed: true,
      render: (_, { sn }) => (
        <strong className="search-sn">
          <Code value={sn}>
            <Highlight text={sn} wanted={text} />
          </Code>
        </strong>
      ),
    },
    {
      key: 'account_name',
      title: t('column.account'),
      render: (_, { account_name }) => (
        <Clipped text={account_name}>
          <Highlight text={account_name} wanted={account_text} />
        </Clipped>
      ),
    },
    {
      key: 'name',
      title: t('column.name'),
      render: (_, { name }) => (
        <Clipped text={name}>
          <Highlight text={name} wanted={text} />
        </Clipped>
      ),
    },
    { key: 'model', title: t('column.model'), render: (_, { model }) => model },
    {
      key: 'scrapped_at',
      title: t('scrapped.at'),
      sorter: true,
      render: (_, { scrapped_at }) => <DateTime at={scrapped_at} />,
    },
    {
      key: 'scrapped_by',
      title: t('scrapped.by'),
      render: (_, { scrapped_by }) => scrapped_by,
    },
  ]
}
