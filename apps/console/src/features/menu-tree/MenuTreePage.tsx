import { ArrowDownOutlined, ArrowUpOutlined, EllipsisOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, Dropdown } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import type { MenuEntry } from '@mdm/contract'
import { api, useCall, useWrite } from '../../core/api.ts'
import { matches } from '../../shared/groups/group-tree.ts'
import { DisabledReason } from '../../ui/dialog/DisabledReason.tsx'
import { ConfirmDanger } from '../../ui/dialog/ConfirmDanger.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import { nested } from '../../ui/list/tree.ts'
import { TreePage } from '../../ui/list/TreePage.tsx'
import { OrDash } from '../../ui/value/values.tsx'
import { useSessionStore } from '../../core/session-store.ts'
import { May, useMay } from '../../core/session.tsx'
import { pageIcon } from '../../ui/icons.tsx'
import { refreshMenu } from '../../core/menu-refresh.ts'
import { stepOf } from './places.ts'
import type { Entry } from './places.ts'
import { useMenuMove } from './use-menu-move.ts'
import './menu-tree.css'
import { link } from '../../core/links.ts'

type Step = { kid: string; by: -1 | 1 }

export default function MenuTreePage() {
  const { t } = useTranslation(['menu-tree', 'common'])
  const navigate = useNavigate()
  const may_edit = useMay('mdmManageMenuTreeEdit')
  const query = useCall(api.opsMenuTree.list, {})
  const tree = nested(query.data ?? [], ({ p_id }) => p_id)
  const { move, is_moving, rowProps } = useMenuMove(tree, may_edit)
  const [doomed, setDoomed] = useState<MenuEntry | null>(null)
  const keepFocus = useKeptFocus(query.dataUpdatedAt)
  const step = (entry: MenuEntry, by: -1 | 1) => {
    const place = stepOf(tree, entry, by)
    if (!place || is_moving) return
    keepFocus({ kid: entry.kid, by })
    void move(entry.kid, place)
  }
  const columns = useMenuColumns((entry) => (
    <RowActions tree={tree} entry={entry} onStep={(by) => step(entry, by)} onDelete={() => setDoomed(entry)} />
  ))
  return (
    <>
      <TreePage<MenuEntry>
        id="menu-tree-list"
        title={t('title')}
        icon={pageIcon('menuTreeList')}
        call={api.opsMenuTree.list}
        query={query}
        nodes={tree}
        columns={columns}
        search={t('search')}
        isMatch={(entry, text) =>
          [...Object.values(entry.name), entry.code, entry.path, entry.access_code].some(
            (part) => part !== null && matches(part, text),
          )
        }
        isClosed={({ type }) => type === 'page'}
        primary={
          <May needs="mdmManageMenuTreeAdd">
            <Button
              type="primary"
              icon={<PlusOutlined aria-hidden />}
              onClick={() => void navigate(link.mdmManageMenuTreeAdd.to())}
            >
              {t('add')}
            </Button>
          </May>
        }
        empty={{ title: t('empty'), hint: t('empty_hint') }}
        note={t('note')}
        row={rowProps}
      />
      {doomed && <DeleteEntry entry={doomed} onClose={() => setDoomed(null)} />}
    </>
  )
}

/** A row that moved is drawn anew where it is now; the button that moved it stays the one in use. */
function useKeptFocus(drawn_at: number): (step: Step) => void {
  const wanted = useRef<Step & { since: number }>(undefined)
  useEffect(() => {
    const step = wanted.current
    if (!step || step.since === drawn_at) return
    wanted.current = undefined
    document.querySelector<HTMLElement>(`[data-step="${step.kid} ${step.by}"]`)?.focus()
  }, [drawn_at])
  return (step) => void (wanted.current = { ...step, since: drawn_at })
}

function useMenuColumns(actions: (entry: Entry) => React.ReactNode): Column<Entry>[] {
  const { t } = useTranslation(['menu-tree', 'common'])
  const language = useSessionStore((s) => s.language)
  const may_edit = useMay('mdmManageMenuTreeEdit')
  return [
    {
      key: 'name',
      title: t('column.name'),
      is_fixed: true,
      render: (_, { kid, name, visible }) => (
        <span className={visible === 1 ? undefined : 'dim'}>
          {may_edit ? <Link to={link.mdmManageMenuTreeEdit.to({ kid })}>{name[language]}</Link> : name[language]}
        </span>
      ),
    },
    {
      key: 'type',
      title: t('column.type'),
      export: { labels: t('type', { returnObjects: true }) },
      render: (_, { type }) => t(`type.${type}`),
    },
    { key: 'path', title: t('column.path'), render: (_, { path }) => <Code>{path}</Code> },
    {
      key: 'permission',
      title: t('column.permission'),
      export: { key: 'access_code' },
      render: (_, row) => <Code>{row.access_code}</Code>,
    },
    {
      key: 'side',
      title: t('column.side'),
      export: { key: 'end_type', labels: t('side', { returnObjects: true }) },
      render: (_, { end_type }) => t(`side.${end_type}`),
    },
    {
      key: 'visible',
      title: t('column.visible'),
      export: { labels: { 1: t('shown'), 0: t('hidden') } },
      render: (_, { visible }) => (
        <StateBadge tone={visible === 1 ? 'good' : 'quiet'}>{t(visible === 1 ? 'shown' : 'hidden')}</StateBadge>
      ),
    },
    { key: 'code', title: t('column.code'), is_hidden: true, render: (_, { code }) => <Code>{code}</Code> },
    {
      key: 'remind',
      title: t('column.remind'),
      is_hidden: true,
      render: (_, { remind }) => <OrDash>{remind && <span className="clipped">{remind}</span>}</OrDash>,
    },
    {
      key: 'origin',
      title: t('delivered'),
      is_hidden: true,
      export: { key: 'is_seeded', labels: { true: t('common:yes'), false: t('common:no') } },
      render: (_, { is_seeded }) => t(is_seeded ? 'common:yes' : 'common:no'),
    },
    {
      key: 'actions',
      title: t('common:actions'),
      align: 'right',
      fixed: 'right',
      render: (_, entry) => actions(entry),
    },
  ]
}

const Code = ({ children }: { children: string | null }) => (
  <OrDash>
    {children && (
      <code className="clipped menu-code" title={children}>
        {children}
      </code>
    )}
  </OrDash>
)

type ActionsProps = { tree: readonly Entry[]; entry: Entry; onStep: (by: -1 | 1) => void; onDelete: () => void }
function RowActions({ tree, entry, onStep, onDelete }: ActionsProps) {
  const { t } = useTranslation('menu-tree')
  const navigate = useNavigate()
  const name = entry.name[useSessionStore((s) => s.language)]
  const may_add = useMay('mdmManageMenuTreeAdd')
  const may_edit = useMay('mdmManageMenuTreeEdit')
  const may_delete = useMay('menuTreeList:delete')
  const { kid } = entry
  const items = [
    may_add && {
      key: 'add',
      label: t('add_below'),
      disabled: entry.type === 'operation',
      title: entry.type === 'operation' ? t('because.below_operation') : '',
      onClick: () => void navigate(link.mdmManageMenuTreeAdd.to({ p_id: kid })),
    },
    may_edit && { key: 'edit', label: t('edit'), onClick: () => void navigate(link.mdmManageMenuTreeEdit.to({ kid })) },
    may_delete && {
      key: 'delete',
      label: t('delete'),
      danger: !entry.has_child,
      disabled: entry.has_child,
      title: entry.has_child ? t('because.has_children') : '',
      onClick: onDelete,
    },
  ].filter((item) => item !== false)
  const steps = [
    { by: -1, icon: <ArrowUpOutlined aria-hidden />, label: t('up_of', { name }), end: t('because.first') },
    { by: 1, icon: <ArrowDownOutlined aria-hidden />, label: t('down_of', { name }), end: t('because.last') },
  ] as const
  return (
    <span className="row-actions">
      {may_edit &&
        steps.map(({ by, icon, label, end }) => (
          <DisabledReason key={by} because={stepOf(tree, entry, by) ? undefined : end}>
            <Button
              type="text"
              size="small"
              icon={icon}
              data-step={`${kid} ${by}`}
              aria-label={label}
              onClick={() => onStep(by)}
            />
          </DisabledReason>
        ))}
      {items.length > 0 && (
        <Dropdown autoFocus trigger={['click']} menu={{ items }}>
          <Button
            type="text"
            size="small"
            icon={<EllipsisOutlined aria-hidden />}
            aria-label={t('more_of', { name })}
          />
        </Dropdown>
      )}
    </span>
  )
}

function DeleteEntry({ entry, onClose }: { entry: MenuEntry; onClose: () => void }) {
  const { t } = useTranslation('menu-tree')
  const name = entry.name[useSessionStore((s) => s.language)]
  const remove = useWrite(api.opsMenuTree.delete, {
    done: t('deleted'),
    onSuccess: () => {
      void refreshMenu()
      onClose()
    },
  })
  return (
    <ConfirmDanger
      title={t('delete_title', { name })}
      submit={t('delete_submit')}
      loading={remove.isPending}
      submitError={remove.error}
      onConfirm={() => remove.mutateAsync({ kid: entry.kid })}
      onClose={onClose}
    >
      <p>{t('delete_text')}</p>
      {entry.is_seeded && <p>{t('delete_delivered')}</p>}
    </ConfirmDanger>
  )
}
