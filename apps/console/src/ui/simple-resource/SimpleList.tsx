import { DeleteOutlined, EditOutlined, PlusOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { useWrite } from '../../core/api.ts'
import { holds, pages } from '@mdm/contract'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { link } from '../../core/links.ts'
import { May, useSession } from '../../core/session.tsx'
import { pageIcon } from '../icons.tsx'
import { ConfirmDanger } from '../dialog/ConfirmDanger.tsx'
import { ListPage } from '../list/ListPage.tsx'
import type { Column } from '../list/ListPage.tsx'
import { simpleText } from './simple-resource.tsx'
import type { SimpleField, SimpleResource, SimpleText } from './simple-resource.tsx'
import { useListTable } from '../list/use-list-table.ts'
import { DateTime, OrDash } from '../value/values.tsx'

export function SimpleList<R extends { kid: string }>({ of }: { of: SimpleResource<R> }) {
  const { t } = useTranslation(['common', of.namespace])
  const navigate = useNavigate()
  const { permissions } = useSession()
  const textOf = useTextOf()
  const text = (key: SimpleText, name?: string) => simpleText(of.namespace, key, { name })
  const list = useListTable(of.calls.paging, {
    id: pages[of.pages.list].path.slice(1).replaceAll('/', '-'),
    filters: { text: 'text' } as never,
  })
  const [doomed, setDoomed] = useState<R | null>(null)
  const remove = useWrite(of.calls.delete, { done: text('deleted'), onSuccess: () => setDoomed(null) })
  const may_edit = holds(permissions, of.pages.edit)
  const may_delete = holds(permissions, of.delete)

  const columns: Column<R>[] = of
    .fields()
    .filter((field) => !field.is_form_only)
    .map((field, at) => ({
      key: field.name,
      title: field.label,
      sorter: field.is_sortable ?? false,
      is_fixed: at === 0,
      align: field.kind === 'number' ? 'right' : 'left',
      export: { labels: exportLabelsOf(field, t('yes'), t('no')) },
      render: (_value: unknown, row: R) => (field.cell ? field.cell(row) : <Cell field={field} row={row} />),
    }))
  const actions: Column<R> = {
    key: 'actions',
    title: t('actions'),
    align: 'right',
    width: 96,
    render: (_value: unknown, row: R) => (
      <span className="row-actions">
        {may_edit && (
          <Link to={link[of.pages.edit].to({ kid: row.kid })} aria-label={`${t('edit')} ${String(row[of.naming])}`}>
            <EditOutlined aria-hidden />
          </Link>
        )}
        {may_delete && (
          <Button
            type="text"
            size="small"
            icon={<DeleteOutlined aria-hidden />}
            aria-label={`${t('delete')} ${String(row[of.naming])}`}
            onClick={() => {
              remove.reset()
              setDoomed(row)
            }}
          />
        )}
      </span>
    ),
  }
  const add = (
    <May needs={of.pages.add}>
      <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => void navigate(link[of.pages.add].to())}>
        {textOf(pages[of.pages.add].title)}
      </Button>
    </May>
  )
  return (
    <>
      <ListPage<R>
        list={list as never}
        title={textOf(pages[of.pages.list].title)}
        icon={pageIcon(of.pages.list)}
        columns={may_edit || may_delete ? [...columns, actions] : columns}
        search={text('search')}
        primary={add}
        empty={{ title: text('empty'), hint: text('empty_hint'), action: add }}
      />
      {doomed && (
        <ConfirmDanger
          title={text('delete_title', String(doomed[of.naming]))}
          submit={text('delete')}
          loading={remove.isPending}
          submitError={remove.error}
          onConfirm={() => remove.mutateAsync({ kid: doomed.kid })}
          onClose={() => setDoomed(null)}
        />
      )}
    </>
  )
}

function exportLabelsOf<R>(
  { kind, options }: SimpleField<R>,
  yes: string,
  no: string,
): Record<string, string> | undefined {
  if (kind === 'switch') return { true: yes, false: no }
  return options && Object.fromEntries(options.map(({ value, label }) => [value, label]))
}

function Cell<R>({ field, row }: { field: SimpleField<R>; row: R }) {
  const { t } = useTranslation('common')
  const value = row[field.name]
  if (field.kind === 'date') return <DateTime at={value as string | null} />
  if (field.kind === 'switch') return t(value ? 'yes' : 'no')
  if (field.kind === 'code') return value ? <code>{String(value)}</code> : <OrDash>{null}</OrDash>
  if (field.kind === 'select') return <OrDash>{field.options?.find((option) => option.value === value)?.label}</OrDash>
  return <OrDash>{value === null || value === undefined ? null : String(value)}</OrDash>
}
