import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { StagingScanRow } from '@mdm/contract'
import { api } from '../../../core/api.ts'
import { link } from '../../../core/links.ts'
import { useMay } from '../../../core/session.tsx'
import { useEventColumns } from '../../../shared/device-event/columns.tsx'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import type { Column } from '../../../ui/list/ListPage.tsx'
import { useListTable } from '../../../ui/list/use-list-table.ts'
import { Clipped, Code } from '../../../ui/value/values.tsx'

type Props = { of: { kid: string; name: string } }

/** Which devices took a configuration, and what became of each of its modules there. */
export function StagingScans({ of: { kid, name } }: Props) {
  const { t } = useTranslation('istage/codes')
  const may_open = useMay('deviceDetailInfo')
  const list = useListTable(api.istageCode.paging_scan, {
    id: 'istage-scan',
    filters: {},
    fixed: { kid },
  })
  const column = useEventColumns()
  const columns: Column<StagingScanRow>[] = [
    {
      key: 'sn',
      title: t('scans.device'),
      is_fixed: true,
      render: (_, { sn, terminal_kid }) =>
        may_open ? (
          <Link to={link.deviceDetailInfo.to({ kid: terminal_kid })}>
            <Code value={sn} />
          </Link>
        ) : (
          <Code value={sn} />
        ),
    },
    { key: 'name', title: t('scans.alias'), render: (_, row) => <Clipped text={row.name} /> },
    column.at,
    { ...column.detail, title: t('scans.outcome') },
    { ...column.received_at, is_hidden: true },
  ]
  const title = t('scans.title', { name })
  return (
    <ListPage<StagingScanRow>
      is_part
      list={list}
      title={title}
      columns={columns}
      empty={{ title: t('scans.empty'), hint: t('scans.empty_hint') }}
    />
  )
}
