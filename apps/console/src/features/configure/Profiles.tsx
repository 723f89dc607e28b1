import { DeleteOutlined } from '@ant-design/icons'
import { Input } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { config_group_permission, contract } from '@mdm/contract'
import type { ConfigProfile } from '@mdm/contract'
import { api, useWrite } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { listText } from '../../i18n/list-text.ts'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import { Field, FormDrawer } from '../../ui/form/form.tsx'
import { AddButton } from '../../ui/list/AddButton.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { useCount } from '../../ui/value/format.ts'
import { Clipped, DateTime, OrDash } from '../../ui/value/values.tsx'
import { useSectionName } from './section-name.ts'

const addressOf = (kid: string, tab?: 'uses') => link.configureLevel.to({ kid, level: 'profile', ...(tab && { tab }) })

/** Named sets of sections, what they set and who uses them. */
export function Profiles() {
  const { t } = useTranslation(['configure/edit', 'common'])
  const sectionName = useSectionName()
  const count = useCount()
  const list = useListTable(api.configProfile.paging, { id: 'config-profiles', filters: { text: 'text' } })
  const needs = config_group_permission
  const dialog = useDialog({ create: needs, rename: needs, delete: needs }, list.rows)
  const [renamed, deleted] = [dialog.of('rename'), dialog.of('delete')]
  const create = (
    <AddButton needs={needs} onClick={() => dialog.open('create')}>
      {t('profile.create')}
    </AddButton>
  )
  return (
    <>
      <ListPage
        list={list}
        is_part
        title={t('tab.profiles')}
        primary={create}
        search={t('profile.search')}
        nameOf={({ name }) => name}
        rowActions={(row) => [
          { needs, label: t('rename.action'), onSelect: () => dialog.open('rename', row) },
          {
            needs,
            icon: <DeleteOutlined aria-hidden />,
            label: t('profile.delete_named', { name: row.name }),
            hint: t('common:delete'),
            ...(row.uses > 0 && { disabled_reason: t('profile.in_use') }),
            onSelect: () => dialog.open('delete', row),
          },
        ]}
        columns={[
          {
            key: 'name',
            title: t('common:name'),
            is_fixed: true,
            sorter: true,
            render: (_, row) => (
              <Link to={addressOf(row.kid)}>
                <Clipped text={row.name} />
              </Link>
            ),
          },
          {
            key: 'sections',
            title: t('column.sections'),
            render: (_, row) => <OrDash>{row.sections.length > 0 && listText(row.sections.map(sectionName))}</OrDash>,
          },
          {
            key: 'uses',
            title: t('profile.uses'),
            align: 'right',
            render: (_, row) => <Link to={addressOf(row.kid, 'uses')}>{count(row.uses)}</Link>,
          },
          { key: 'description', title: t('column.description'), dataIndex: 'description' },
          { key: 'created_by', title: t('column.by'), dataIndex: 'created_by' },
          {
            key: 'created_at',
            title: t('common:created_at'),
            sorter: true,
            render: (_, row) => <DateTime at={row.created_at} />,
          },
        ]}
        empty={{ title: t('profile.none'), hint: t('profile.none_hint'), action: create }}
      />
      {dialog.is('create') && <ProfileDrawer onClose={dialog.close} />}
      {renamed && <ProfileDrawer of={renamed} onClose={dialog.close} />}
      {deleted && (
        <ConfirmWrite
          call={api.configProfile.delete}
          input={{ kid: deleted.kid }}
          title={t('profile.delete_title', { name: deleted.name })}
          submit={t('common:delete')}
          done={t('profile.deleted')}
          onClose={dialog.close}
        >
          <p>{t('profile.delete_text')}</p>
        </ConfirmWrite>
      )}
    </>
  )
}

type Draft = Pick<ConfigProfile, 'name' | 'description'>
function ProfileDrawer({ of, onClose }: { of?: ConfigProfile; onClose: () => void }) {
  const { t } = useTranslation(['configure/edit', 'common'])
  const insert = useWrite(api.configProfile.insert, { done: t('profile.created') })
  const update = useWrite(api.configProfile.update, { done: t('rename.done'), also: ['terminal_config'] })
  const save = of ? update : insert
  const { input } = contract.configProfile.calls.insert
  return (
    <FormDrawer<Draft>
      title={of ? t('rename.title', { place: of.name }) : t('profile.create')}
      submit={of ? t('rename.submit') : t('profile.create')}
      initial={{ name: of?.name ?? '', description: of?.description ?? '' }}
      loading={save.isPending}
      submitError={save.error}
      onSubmit={(given) => (of ? update.mutateAsync({ kid: of.kid, ...given }) : insert.mutateAsync(given))}
      onDone={onClose}
      onClose={onClose}
    >
      <Field name="name" label={t('common:name')} schema={input}>
        <Input />
      </Field>
      <Field name="description" label={t('column.description')} schema={input}>
        <Input />
      </Field>
    </FormDrawer>
  )
}
