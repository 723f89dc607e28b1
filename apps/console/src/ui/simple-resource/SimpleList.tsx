import { DeleteOutlined, EditOutlined } from '@ant-design/icons'
import { useTranslation } from 'react-i18next'
import { pages } from '@mdm/contract'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { link } from '../../core/links.ts'
import { ConfirmWrite } from '../dialog/ConfirmWrite.tsx'
import { useDialog } from '../dialog/use-dialog.ts'
import type { RowAction } from '../list/RowActions.tsx'
import { ListPage } from '../list/ListPage.tsx'
import type { Column } from '../list/ListPage.tsx'
import { simpleText } from './simple-resource.tsx'
import type { SimpleField, SimpleResource, SimpleText } from './simple-resource.tsx'
import { useListTable } from '../list/use-list-table.ts'
import { AddButton } from '../list/AddButton.tsx'
import { DateTime, OrDash } from '../value/values.tsx'

export function SimpleList<R extends { kid: string }>({ of }: { of: SimpleResource<R> }) {
  const { t } = useTranslation(['common', of.namespace])
  const textOf = useTextOf()
  const text = (key: SimpleText, name?: string) => simpleText(of.namespace, key, { name })
  const list = useListTable(of.calls.paging, {
    id: pages[of.pages.list].path.slice(1).replaceAll('/', '-'),
    filters: { text: 'text' } as never,
  })
  const dialog = useDialog({ delete: of.delete }, list.rows as readonly unknown[] as readonly R[])
  const deleting = dialog.of('delete')
  const nameOf = (row: R) => String(row[of.naming])

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
  const rowActions = (row: R): RowAction[] => [
    {
      needs: of.pages.edit,
      icon: <EditOutlined aria-hidden />,
      label: `${t('edit')} ${nameOf(row)}`,
      to: link[of.pages.edit].to({ kid: row.kid }),
    },
    {
      needs: of.delete,
      icon: <DeleteOutlined aria-hidden />,
      label: `${t('delete')} ${nameOf(row)}`,
      disabled_reason: of.whyKept?.(row),
      onSelect: () => dialog.open('delete', row),
    },
  ]
  const add = (
    <AddButton needs={of.pages.add} to={link[of.pages.add].to()}>
      {textOf(pages[of.pages.add].title)}
    </AddButton>
  )
  const Tools = of.tools
  return (
    <>
      <ListPage<R>
        list={list as never}
        page={pages[of.pages.list]}
        columns={columns}
        rowActions={rowActions}
        nameOf={nameOf}
        search={text('search')}
        primary={
          <>
            {Tools && <Tools />}
            {add}
          </>
        }
        is_part={of.is_part ?? false}
        empty={{ title: text('empty'), hint: text('empty_hint'), action: add }}
      />
      {deleting && (
        <ConfirmWrite
          call={of.calls.delete}
          input={{ kid: deleting.kid }}
          title={text('delete_title', nameOf(deleting))}
          submit={text('delete')}
          done={text('deleted')}
          onClose={dialog.close}
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
