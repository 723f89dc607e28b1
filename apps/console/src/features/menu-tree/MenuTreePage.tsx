import { ArrowDownOutlined, ArrowUpOutlined } from '@ant-design/icons'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { pages } from '@mdm/contract'
import type { MenuEntry } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { matches } from '../../shared/groups/group-tree.ts'
import { AddButton } from '../../ui/list/AddButton.tsx'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import type { RowAction } from '../../ui/list/RowActions.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import { nested } from '../../ui/list/tree.ts'
import { TreePage } from '../../ui/list/TreePage.tsx'
import { Code } from '../../ui/value/values.tsx'
import { useSessionStore } from '../../core/session-store.ts'
import { useMay } from '../../core/session.tsx'
import { refreshMenu } from '../../core/menu-refresh.ts'
import { stepOf } from './menu-places.ts'
import type { Entry } from './menu-places.ts'
import { useMenuMove } from './use-menu-move.ts'
import './menu-tree.css'
import { link } from '../../core/links.ts'

type Step = { kid: string; by: -1 | 1 }

export default function MenuTreePage() {
  const { t } = useTranslation('menu-tree')
  const language = useSessionStore((s) => s.language)
  const may_edit = useMay('mdmManageMenuTreeEdit')
  const query = useCall(api.opsMenuTree.list, {})
  const entries = query.data ?? []
  const tree = nested(entries, ({ p_id }) => p_id)
  const { move, is_moving, rowProps } = useMenuMove(tree, may_edit)
  const dialog = useDialog({ delete: 'menuTreeList:delete' }, entries)
  const deleting = dialog.of('delete')
  const keepFocus = useKeptFocus(query.dataUpdatedAt)
  const step = (entry: MenuEntry, by: -1 | 1) => {
    const place = stepOf(tree, entry, by)
    if (!place || is_moving) return
    keepFocus({ kid: entry.kid, by })
    void move(entry.kid, place)
  }
  const rowActions = useRowActions({ tree, onStep: step, onDelete: (entry) => dialog.open('delete', entry) })
  return (
    <>
      <TreePage<MenuEntry>
        id="menu-tree-list"
        page={pages.menuTreeList}
        call={api.opsMenuTree.list}
        query={query}
        nodes={tree}
        columns={useMenuColumns()}
        rowActions={rowActions}
        nameOf={({ name }) => name[language]}
        search={t('search')}
        isMatch={(entry, text) =>
          [...Object.values(entry.name), entry.code, entry.path, entry.access_code].some(
            (part) => part !== null && matches(part, text),
          )
        }
        isClosed={({ type }) => type === 'page'}
        primary={
          <AddButton needs="mdmManageMenuTreeAdd" to={link.mdmManageMenuTreeAdd.to()}>
            {t('add')}
          </AddButton>
        }
        empty={{ title: t('empty'), hint: t('empty_hint') }}
        note={t('note')}
        row={rowProps}
      />
      {deleting && <DeleteEntry entry={deleting} onClose={dialog.close} />}
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
    document.querySelector<HTMLElement>(`[data-action="${step.kid} ${step.by}"]`)?.focus()
  }, [drawn_at])
  return (step) => void (wanted.current = { ...step, since: drawn_at })
}

function useMenuColumns(): Column<Entry>[] {
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
    { key: 'path', title: t('column.path'), render: (_, { path }) => <Code value={path} /> },
    {
      key: 'permission',
      title: t('column.permission'),
      export: { key: 'access_code' },
      render: (_, row) => <Code value={row.access_code} />,
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
    { key: 'code', title: t('column.code'), is_hidden: true, render: (_, { code }) => <Code value={code} /> },
    {
      key: 'remind',
      title: t('column.remind'),
      is_hidden: true,
      render: (_, { remind }) => remind,
    },
    {
      key: 'origin',
      title: t('delivered'),
      is_hidden: true,
      export: { key: 'is_seeded', labels: { true: t('common:yes'), false: t('common:no') } },
      render: (_, { is_seeded }) => t(is_seeded ? 'common:yes' : 'common:no'),
    },
  ]
}

type Steps = {
  tree: readonly Entry[]
  onStep: (entry: Entry, by: -1 | 1) => void
  onDelete: (entry: Entry) => void
}
function useRowActions({ tree, onStep, onDelete }: Steps): (entry: Entry) => RowAction[] {
  const { t } = useTranslation('menu-tree')
  const language = useSessionStore((s) => s.language)
  return (entry) => {
    const { kid, type, has_child } = entry
    const name = entry.name[language]
    const step = (by: -1 | 1, icon: React.ReactNode, label: string, end: string): RowAction => ({
      needs: 'mdmManageMenuTreeEdit',
      icon,
      label,
      id: `${kid} ${by}`,
      disabled_reason: stepOf(tree, entry, by) ? undefined : end,
      onSelect: () => onStep(entry, by),
    })
    return [
      step(-1, <ArrowUpOutlined aria-hidden />, t('up_of', { name }), t('disabled_reason.first')),
      step(1, <ArrowDownOutlined aria-hidden />, t('down_of', { name }), t('disabled_reason.last')),
      {
        needs: 'mdmManageMenuTreeAdd',
        label: t('add_below'),
        disabled_reason: type === 'operation' ? t('disabled_reason.below_operation') : undefined,
        to: link.mdmManageMenuTreeAdd.to({ p_id: kid }),
      },
      { needs: 'mdmManageMenuTreeEdit', label: t('edit'), to: link.mdmManageMenuTreeEdit.to({ kid }) },
      {
        needs: 'menuTreeList:delete',
        label: t('delete'),
        danger: true,
        disabled_reason: has_child ? t('disabled_reason.has_children') : undefined,
        onSelect: () => onDelete(entry),
      },
    ]
  }
}

function DeleteEntry({ entry, onClose }: { entry: MenuEntry; onClose: () => void }) {
  const { t } = useTranslation('menu-tree')
  const name = entry.name[useSessionStore((s) => s.language)]
  return (
    <ConfirmWrite
      call={api.opsMenuTree.delete}
      input={{ kid: entry.kid }}
      title={t('delete_title', { name })}
      submit={t('delete_submit')}
      done={t('deleted')}
      onDone={() => void refreshMenu()}
      onClose={onClose}
    >
      <p>{t('delete_text')}</p>
      {entry.is_seeded && <p>{t('delete_delivered')}</p>}
    </ConfirmWrite>
  )
}
