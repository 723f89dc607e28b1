import { Drawer } from 'antd'
import { useTranslation } from 'react-i18next'
import { isSection, ltscopes } from '@mdm/contract'
import { sectionOf } from '@mdm/contract/config/sections.ts'
import type { ConfigChange } from '@mdm/contract'
import { api, useCall } from '../../../core/api.ts'
import { useMay } from '../../../core/session.tsx'
import { useTextOf } from '../../../i18n/use-text-of.ts'
import { Failure } from '../../../ui/Failure.tsx'
import { ConfirmWrite } from '../../../ui/dialog/ConfirmWrite.tsx'
import { useDialog } from '../../../ui/dialog/use-dialog.ts'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import type { Column } from '../../../ui/list/ListPage.tsx'
import { ListTable } from '../../../ui/list/ListTable.tsx'
import { useListTable } from '../../../ui/list/use-list-table.ts'
import { Dash, DateTime } from '../../../ui/value/values.tsx'
import { Progress } from './Progress.tsx'
import { differencesOf, linesOf } from './values.ts'
import type { Difference } from './values.ts'
import { useWords } from './words.ts'
import { useTypeName } from './type-name.ts'

type Props = { fixed?: { ltscope?: number; terminal_group_kid?: string; terminal_kid?: string } }

/** Changes of configurations, those of one level or all: what, by whom, how far devices are; each can be gone back to. */
export function Versions({ fixed }: Props) {
  const { t } = useTranslation(['device-config/edit', 'device-config', 'common'])
  const list = useListTable(api.terminalConfig.change_paging, {
    id: fixed ? 'config-versions' : 'config-changes',
    filters: {},
    ...(fixed && { fixed }),
  })
  const may_revert = useMay('deviceDetailConfig:edit')
  const dialog = useDialog({ version: 'signed_in', revert: 'deviceDetailConfig:edit' }, list.rows)
  const [looked, reverted] = [dialog.of('version'), dialog.of('revert')]
  const nameOf = (row: ConfigChange) => t('version.name', { version: row.version })
  return (
    <>
      <ListPage
        list={list}
        is_part
        title={t('changes')}
        columns={useChangeColumns(fixed !== undefined)}
        nameOf={nameOf}
        rowActions={(row) => [
          {
            text: t('version.look'),
            label: `${t('version.look')}: ${nameOf(row)}`,
            onSelect: () => dialog.open('version', row),
          },
          ...(may_revert ? [{ label: t('version.revert'), onSelect: () => dialog.open('revert', row) }] : []),
        ]}
        empty={{ title: t('version.none') }}
      />
      {looked && <VersionDrawer change={looked} onClose={dialog.close} />}
      {reverted && (
        <ConfirmWrite
          call={api.terminalConfig.revert}
          input={{ kid: reverted.kid }}
          also={['terminal', 'get']}
          title={t('version.revert_title', { version: reverted.version })}
          submit={t('version.revert')}
          done={t('version.reverted')}
          onClose={dialog.close}
        >
          <p>{t('version.revert_text')}</p>
          {reverted.ltscope !== ltscopes.terminal && <p>{t('device-config:many')}</p>}
        </ConfirmWrite>
      )}
    </>
  )
}

function useChangeColumns(is_of_level: boolean): Column<ConfigChange>[] {
  const { t } = useTranslation(['device-config/edit', 'common'])
  const textOf = useTextOf()
  const typeName = useTypeName()
  const sectionName = (section: string) => (isSection(section) ? textOf(sectionOf(section).title) : section)
  return [
    ...(is_of_level
      ? []
      : [
          {
            key: 'place_name',
            title: t('column.place'),
            is_fixed: true,
            render: (_: unknown, row: ConfigChange) => row.place_name ?? t('level.account'),
          },
        ]),
    { key: 'type', title: t('column.type'), render: (_, row) => typeName(row.type) },
    { key: 'version', title: t('column.version'), align: 'right', dataIndex: 'version' },
    { key: 'act', title: t('column.act'), render: (_, row) => t(`act.${row.act}`) },
    { key: 'sections', title: t('column.sections'), render: (_, row) => row.sections.map(sectionName).join(', ') },
    { key: 'progress', title: t('column.progress'), export: false, render: (_, row) => <Progress of={row.progress} /> },
    { key: 'created_by', title: t('column.by'), dataIndex: 'created_by' },
    { key: 'created_at', title: t('column.at'), sorter: true, render: (_, row) => <DateTime at={row.created_at} /> },
  ]
}

/** What a change did, line by line. */
function VersionDrawer({ change, onClose }: { change: ConfigChange; onClose: () => void }) {
  const { t } = useTranslation(['device-config/edit', 'common'])
  const textOf = useTextOf()
  const words = useWords()
  const query = useCall(api.terminalConfig.change_get, { kid: change.kid })
  const { data } = query
  return (
    <Drawer open size={640} title={t('version.name', { version: change.version })} onClose={onClose}>
      {query.error && <Failure error={query.error} retry={query.refetch} />}
      {data &&
        data.sections.filter(isSection).map((section) => {
          const { fields, title } = sectionOf(section)
          const lines = (value: unknown) => linesOf(fields, value ?? null, words)
          const differences = differencesOf(lines(data.before[section]), lines(data.after[section]))
          return (
            <section key={section} className="config-section" aria-label={textOf(title)}>
              <h3>{textOf(title)}</h3>
              {data.after[section] === undefined && <p>{t('version.was_reset')}</p>}
              {differences.length === 0 ? (
                <p className="dim">{t('version.secrets_only')}</p>
              ) : (
                <ListTable<Difference>
                  aria-label={textOf(title)}
                  rowKey="path"
                  rows={differences}
                  columns={[
                    { key: 'label', title: t('column.field'), dataIndex: 'label' },
                    { key: 'before', title: t('column.before'), render: (_, { before }) => before ?? <Dash /> },
                    { key: 'after', title: t('column.after'), render: (_, { after }) => after ?? <Dash /> },
                  ]}
                />
              )}
            </section>
          )
        })}
    </Drawer>
  )
}
