import { ArrowDownOutlined, ArrowUpOutlined, DeleteOutlined, EditOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, Form, Input, Select } from 'antd'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { customFieldKinds, customFieldLimits } from '@mdm/contract'
import type { CustomField, CustomFieldKind } from '@mdm/contract'
import { listText } from '../../../i18n/list-text.ts'
import { api, useCall, useWrite } from '../../../core/api.ts'
import { ConfirmWrite } from '../../../ui/dialog/ConfirmWrite.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { Drawer } from '../../../ui/dialog/Drawer.tsx'
import { Field, FormDrawer } from '../../../ui/form/form.tsx'
import { zodRules } from '../../../ui/form/zod-rules.ts'
import { SkeletonRows } from '../../../ui/list/SkeletonRows.tsx'
import '../../../shared/device-filters/conditions/where.css'

type OpenDialog = { kind: 'add' } | { kind: 'edit' | 'delete'; field: CustomField }

/** The fields that devices of the account have: made, ordered, renamed and taken away. */
export function FieldsDrawer({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['device-filters', 'common'])
  const query = useCall(api.customField.list, {})
  const move = useWrite(api.customField.move)
  const [dialog, setDialog] = useState<OpenDialog | null>(null)
  const fields = query.data ?? []
  const button = (icon: ReactNode, label: string, onClick: () => void, disabled = false) => (
    <Button
      type="text"
      size="small"
      icon={icon}
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={onClick}
    />
  )
  const to = (field: CustomField, position: number) => void move.run({ kid: field.kid, position })
  return (
    <Drawer
      size={520}
      title={t('admin.title')}
      onClose={onClose}
      extra={
        <Button
          type="primary"
          icon={<PlusOutlined aria-hidden />}
          disabled={fields.length >= customFieldLimits.fields}
          onClick={() => setDialog({ kind: 'add' })}
        >
          {t('admin.add')}
        </Button>
      }
    >
      <p className="dim field-hint">{t('admin.hint')}</p>
      {query.error && <Failure error={query.error} retry={query.refetch} is_line />}
      {query.isPending && <SkeletonRows columns={2} label={t('common:list.loading')} />}
      {query.isSuccess && fields.length === 0 && <p>{t('admin.none')}</p>}
      <ul className="field-list">
        {fields.map((field, at) => (
          <li key={field.kid}>
            <span className="field-name" title={field.name}>
              {field.name}
            </span>
            <span className="dim field-kind" title={listText(field.choices)}>
              {t(`kind.${field.kind}`)}
              {field.choices.length > 0 && `: ${listText(field.choices)}`}
            </span>
            <span className="field-acts">
              {button(<ArrowUpOutlined aria-hidden />, t('admin.up', field), () => to(field, at - 1), at === 0)}
              {button(
                <ArrowDownOutlined aria-hidden />,
                t('admin.down', field),
                () => to(field, at + 1),
                at === fields.length - 1,
              )}
              {button(<EditOutlined aria-hidden />, t('admin.edit', field), () => setDialog({ kind: 'edit', field }))}
              {button(<DeleteOutlined aria-hidden />, t('admin.delete', field), () =>
                setDialog({ kind: 'delete', field }),
              )}
            </span>
          </li>
        ))}
      </ul>
      {dialog?.kind === 'delete' && <DeleteField field={dialog.field} onClose={() => setDialog(null)} />}
      {dialog && dialog.kind !== 'delete' && (
        <FieldForm {...(dialog.kind === 'edit' && { field: dialog.field })} onClose={() => setDialog(null)} />
      )}
    </Drawer>
  )
}

type Values = { name: string; kind: CustomFieldKind; choices?: string[] }
function FieldForm({ field, onClose }: { field?: CustomField; onClose: () => void }) {
  const { t } = useTranslation('device-filters')
  const [form] = Form.useForm<Values>()
  const [kind, setKind] = useState<CustomFieldKind>(field?.kind ?? 'text')
  const insert = useWrite(api.customField.insert, { done: t('admin.added') })
  const update = useWrite(api.customField.update, { done: t('admin.saved'), also: ['terminal'] })
  const write = field ? update : insert
  const { input } = api.customField.insert
  const needed = (_rule: unknown, choices?: string[]) =>
    choices?.length ? Promise.resolve() : Promise.reject(new Error(t('admin.choices_needed')))
  return (
    <FormDrawer<Values>
      form={form}
      title={field ? t('admin.edit_title', field) : t('admin.add_title')}
      submit={t(field ? 'admin.edit_submit' : 'admin.add')}
      initial={field ?? { name: '', kind: 'text', choices: [] }}
      loading={write.isPending}
      submitError={write.error}
      onValues={(values) => setKind(values.kind)}
      onSubmit={({ name, choices = [] }) => {
        const draft = { name, kind, choices: kind === 'choice' ? choices : [] }
        return field ? update.mutateAsync({ ...draft, kid: field.kid }) : insert.mutateAsync(draft)
      }}
      onDone={onClose}
      onClose={onClose}
    >
      <Field name="name" label={t('admin.name')} schema={input}>
        <Input autoFocus />
      </Field>
      <Field name="kind" label={t('admin.kind')} extra={field && t('admin.kind_fixed')}>
        <Select
          disabled={field !== undefined}
          options={customFieldKinds.map((each) => ({ value: each, label: t(`kind.${each}`) }))}
        />
      </Field>
      {kind === 'choice' && (
        <Field
          name="choices"
          label={t('admin.choices')}
          extra={t('admin.choices_hint')}
          required
          rules={[{ validator: needed }, ...zodRules(input, 'choices')]}
        >
          <Select mode="tags" open={false} suffixIcon={null} maxCount={customFieldLimits.choices} />
        </Field>
      )}
    </FormDrawer>
  )
}

function DeleteField({ field, onClose }: { field: CustomField; onClose: () => void }) {
  const { t } = useTranslation('device-filters')
  return (
    <ConfirmWrite
      call={api.customField.delete}
      input={{ kid: field.kid }}
      done={t('admin.deleted')}
      also={['terminal']}
      title={t('admin.delete_title', field)}
      submit={t('admin.delete_submit')}
      word="DELETE"
      onClose={onClose}
    >
      <p>{t('admin.delete_what')}</p>
    </ConfirmWrite>
  )
}
