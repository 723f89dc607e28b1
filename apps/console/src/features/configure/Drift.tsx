import { ReloadOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { isSection } from '@mdm/contract'
import { configCapabilities, sectionOf } from '@mdm/contract/config/sections.ts'
import type { ConfigDrift } from '@mdm/contract'
import { api, useWrite } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { May } from '../../core/session.tsx'
import { useTextOf } from '../../i18n/use-text-of.ts'
import type { Filter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { OnlineBadge, StateBadge } from '../../ui/value/StateBadge.tsx'
import { Dash } from '../../ui/value/values.tsx'

const causes = ['waiting', 'failed', 'not_supported'] as const
const tones = { waiting: 'moving', failed: 'bad', not_supported: 'warn', applied: 'good', not_said: 'quiet' } as const

/** Devices that do not go by what holds for them, with why; they can be told again. */
export function Drift() {
  const { t } = useTranslation(['device-config/edit', 'common'])
  const textOf = useTextOf()
  const list = useListTable(api.terminalConfig.drift, {
    id: 'config-drift',
    filters: { text: 'text', cause: 'text', terminal_group_kid: 'text', change_kid: 'text' },
  })
  const retry = useWrite(api.terminalConfig.retry, { done: t('drift.retried') })
  const again = (terminal_kids: readonly string[]) => void retry.run({ terminal_kids: [...terminal_kids] })
  const columns: Column<ConfigDrift>[] = [
    {
      key: 'sn',
      title: t('column.device'),
      is_fixed: true,
      sorter: true,
      render: (_, row) => <Link to={link.deviceDetailConfig.to({ kid: row.kid })}>{row.name || row.sn}</Link>,
    },
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
              <StateBadge tone={tones[cause.outcome]}>{t(`outcome.${cause.outcome}`)}</StateBadge>{' '}
              {isSection(cause.section) ? textOf(sectionOf(cause.section).title) : cause.section}{' '}
              <span className="dim">{reasonOf(cause)}</span>
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
      bulk={({ selection }) => (
        <May needs="deviceDetailConfig:edit">
          <Button icon={<ReloadOutlined aria-hidden />} onClick={() => again(selection.kids)}>
            {t('drift.retry')}
          </Button>
        </May>
      )}
      empty={{ title: t('drift.empty') }}
    />
  )

  function reasonOf({ section, reason, message }: ConfigDrift['causes'][number]): string {
    const capability = isSection(section) ? textOf(configCapabilities[sectionOf(section).capability]) : ''
    // A newer device may say a reason that this console has no words for.
    const words = reason ? t(`reason.${reason}` as 'reason.offline', { capability, defaultValue: reason }) : ''
    return [words, message].filter(Boolean).join(' ')
  }
}
