import { SafetyOutlined } from '@ant-design/icons'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { listText } from '../../i18n/list-text.ts'
import { AddButton } from '../../ui/list/AddButton.tsx'
import { DisabledReason } from '../../ui/dialog/DisabledReason.tsx'
import type { Filter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import type { List } from '../../ui/list/use-list-table.ts'
import { Clipped, DateTime, OrDash } from '../../ui/value/values.tsx'
import { May, useMay, useSession } from '../../core/session.tsx'
import { AccountStateBadge, InvitationNote, LastUse } from '../../shared/accounts/cells.tsx'
import { useRoleChoices } from '../user-role/public.ts'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import { PersonDialog } from './PersonDialog.tsx'
import type { PersonDialogKind } from './PersonDialog.tsx'
import { usePersonActions } from './row-actions.tsx'
import { peopleSides } from './sides.ts'
import type { PeopleSide, PersonRow } from './sides.ts'
import './people.css'

const kinds = ['disable', 'reset_totp', 'delete'] as const

type Props<R extends PersonRow> = {
  side: PeopleSide
  list: List<R>
  /** What only this side knows of a person, after the roles. */
  more?: readonly Column<R>[]
  /** Beside the title: places left. */
  aside?: ReactNode
  /** Why nobody can be added, or undefined. */
  full?: string
  add: string
  editTo: (kid: string) => string
}

/** People who sign in: the customer's and the provider's list are this one. */
export function PeoplePage<R extends PersonRow>({ side, list, more = [], aside, full, add, editTo }: Props<R>) {
  const { t } = useTranslation(['user-account', 'accounts', 'common'])
  const { page, needs } = peopleSides[side]
  const dialog = useDialog<PersonDialogKind, R>(
    { disable: needs.edit, reset_totp: needs.edit, delete: needs.delete },
    list.rows,
  )
  const may_edit = useMay(needs.edit)
  const columns = usePeopleColumns<R>(editTo, may_edit)
  const button = (
    <May needs={needs.add}>
      <DisabledReason disabled_reason={full}>
        <AddButton to={add}>{t(`add.${side}`)}</AddButton>
      </DisabledReason>
    </May>
  )
  return (
    <>
      <ListPage<R>
        list={list}
        page={page}
        actions={aside}
        columns={[...columns.slice(0, 4), ...more, ...columns.slice(4)]}
        rowActions={usePersonActions({ side, editTo, open: dialog.open })}
        nameOf={({ name }) => name}
        search={t('search')}
        filters={useFilters(side)}
        primary={button}
        empty={{ title: t(`empty.${side}`), hint: t(`empty_hint.${side}`), action: button }}
      />
      {kinds.map((kind) => {
        const row = dialog.of(kind)
        return row && <PersonDialog key={kind} side={side} kind={kind} row={row} onClose={dialog.close} />
      })}
    </>
  )
}

function useFilters(side: PeopleSide): Filter[] {
  const { t } = useTranslation(['user-account', 'accounts', 'common'])
  const roles = useRoleChoices(side).data
  return [
    {
      key: 'state',
      kind: 'one',
      label: t('common:state'),
      options: (['normal', 'init', 'invalid'] as const).map((value) => ({
        value,
        label: t(`accounts:state.${value}`),
      })),
    },
    ...(roles
      ? [
          {
            key: 'role_kid',
            kind: 'one',
            label: t('role'),
            options: roles.map(({ kid, name }) => ({ value: kid, label: name })),
          } as const,
        ]
      : []),
  ]
}

function usePeopleColumns<R extends PersonRow>(editTo: (kid: string) => string, may_edit: boolean): Column<R>[] {
  const { t } = useTranslation(['user-account', 'accounts', 'common'])
  const { user_kid } = useSession()
  return [
    {
      key: 'username',
      title: t('username'),
      sorter: true,
      is_fixed: true,
      render: (_, row) => (
        <span className="person-login">
          <Clipped text={row.username}>
            {may_edit && row.can.includes('edit') ? <Link to={editTo(row.kid)}>{row.username}</Link> : row.username}
          </Clipped>
          {row.kid === user_kid && <StateBadge tone="accent">{t('you')}</StateBadge>}
        </span>
      ),
    },
    { key: 'name', title: t('name'), sorter: true, render: (_, row) => row.name },
    {
      key: 'state',
      title: t('common:state'),
      export: { labels: t('accounts:state', { returnObjects: true }) },
      render: (_, row) => (
        <>
          <AccountStateBadge state={row.state} />
          <InvitationNote invitation={row.invitation} />
        </>
      ),
    },
    {
      key: 'roles',
      title: t('roles'),
      render: (_, row) =>
        row.roles.length === 0 ? (
          <span className="dim">{t('roles_none')}</span>
        ) : (
          <Several names={row.roles.map(({ name }) => name)} />
        ),
    },
    {
      key: 'two_factor',
      title: t('two_factor'),
      export: { key: 'has_totp', labels: { true: t('common:yes'), false: t('common:no') } },
      render: (_, row) => (
        <OrDash>
          {row.has_totp ? (
            <StateBadge tone="good" icon={<SafetyOutlined aria-hidden />}>
              {t('two_factor_on')}
            </StateBadge>
          ) : null}
        </OrDash>
      ),
    },
    { key: 'last_use_at', title: t('last_use'), sorter: true, render: (_, row) => <LastUse at={row.last_use_at} /> },
    {
      key: 'contact',
      title: t('contact'),
      export: [
        { key: 'phone', title: t('accounts:phone') },
        { key: 'email', title: t('accounts:email') },
      ],
      render: (_, row) => listText([row.phone, row.email]),
    },
    {
      key: 'remark',
      title: t('accounts:remark'),
      is_hidden: true,
      render: (_, row) => row.remark,
    },
    {
      key: 'created_at',
      title: t('common:created_at'),
      sorter: true,
      is_hidden: true,
      render: (_, row) => <DateTime at={row.created_at} />,
    },
  ]
}

const shown = 2
/** The first of them, and how many more. */
function Several({ names }: { names: readonly string[] }) {
  return (
    <span title={listText(names)}>
      {listText(names.slice(0, shown))}
      {names.length > shown && <span className="dim"> +{names.length - shown}</span>}
    </span>
  )
}
