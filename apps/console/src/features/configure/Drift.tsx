import { ReloadOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { ConfigDrift } from '@mdm/contract'
import { api, useWrite } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { useMay } from '../../core/session.tsx'
import { DriftCause } from './edit/DriftCause.tsx'
import type { Filter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { OnlineBadge } from '../../ui/value/StateBadge.tsx'
import { Clipped, Code, Dash } from '../../ui/value/values.tsx'

const causes = ['not_connected', 'waiting', 'failed', 'not_supported'] as const

/** Devices that do not go by what holds for them, with why; they can be told again. */
export function Drift() {
  const { t } = useTranslation(['configure/edit', 'common'])
  const list = useListTable(api.terminalConfig.drift, {
    id: 'config-drift',
    filters: { text: 'text', cause: 'text', terminal_group_kid: 'text', change_kid: 'text' },
  })
  const retry = useWrite(api.terminalConfig.retry, { done: t('drift.retried') })
  const may_retry = useMay('deviceDetailConfig:edit')
  const again = (terminal_kids: readonly string[]) => void retry.run({ terminal_kids: [...terminal_kids] })
  const columns: Column<ConfigDrift>[] = [
    {
      key: 'sn',
      title: t('column.sn'),
      is_fixed: true,
      sorter: true,
      render: (_, row) => (
        <Link to={link.deviceDetailConfig.to({ kid: row.kid })}>
          <Code value={row.sn} />
        </Link>
      ),
    },
    { key: 'name', title: t('column.alias'), render: (_, row) => row.name && <Clipped text={row.name} /> },
    {
      key: 'is_online',
      title: t('common:state'),
      render: (_, row) => (
        <OnlineBadge
          is_online={row.is_online}
          since={row.last_online_at}
          label={t(row.is_online ? 'common:online' : 'common:offline')}
        />
      ),
    },
    {
      key: 'causes',
      title: t('column.cause'),
      export: false,
      render: (_, row) => (
        <ul className="config-causes">
          {row.causes.map((cause) => (
            <li key={cause.section}>
              <DriftCause of={cause} is_named />
            </li>
          ))}
        </ul>
      ),
    },
    {
      key: 'version_held',
      title: t('column.held'),
      align: 'right',
      render: (_, row) => row.version_held ?? <Dash />,
    },
    {
      key: 'version_wanted',
      title: t('column.wanted'),
      align: 'right',
      render: (_, row) => row.version_wanted ?? <Dash />,
    },
  ]
  const filters: Filter[] = [
    {
      key: 'cause',
      kind: 'one',
      label: t('column.cause'),
      options: causes.map((value) => ({ value, label: t(`outcome.${value}`) })),
    },
  ]
  return (
    <ListPage
      list={list}
      is_part
      title={t('tab.drift')}
      columns={columns}
      search={t('drift.search')}
      filters={filters}
      nameOf={(row) => row.sn}
      rowActions={(row) => [
        {
          needs: 'deviceDetailConfig:edit',
          icon: <ReloadOutlined aria-hidden />,
          label: `${t('drift.retry')}: ${row.sn}`,
          hint: t('drift.retry'),
          onSelect: () => again([row.kid]),
        },
      ]}
      bulk={
        may_retry
          ? ({ selection }) => (
              <Button icon={<ReloadOutlined aria-hidden />} onClick={() => again(selection.kids)}>
                {t('drift.retry')}
              </Button>
            )
          : undefined
      }
      empty={{ title: t('drift.empty') }}
    />
  )
}
