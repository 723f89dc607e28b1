import { EditOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { FieldValue, TerminalDetail } from '@mdm/contract'
import { api, useWrite } from '../../../core/api.ts'
import { FieldCell, Tags, useCustomFields } from '../../../shared/device-filters/device-fields.tsx'
import { FieldInput, TagsInput } from '../../../shared/device-filters/field-inputs.tsx'
import { useDialog } from '../../../ui/dialog/use-dialog.ts'
import { Field, FormDrawer } from '../../../ui/form/form.tsx'
import { May } from '../../../core/session.tsx'
import { Part } from '../Part.tsx'

/** What people say of a device: its tags, changed where they stand, and the fields of the account. */
export function LabelsPart({ device }: { device: TerminalDetail }) {
  const { t } = useTranslation('device-filters')
  const fields = useCustomFields()
  const dialog = useDialog({ fields: 'deviceList:edit' }, [])
  const button = (
    <May needs="deviceList:edit">
      <Button size="small" type="link" icon={<EditOutlined aria-hidden />} onClick={() => dialog.open('fields')}>
        {t('values.edit')}
      </Button>
    </May>
  )
  return (
    <>
      <Part
        title={t('tags.title')}
        lead={<EditableTags device={device} />}
        rows={fields.map((field) => [
          field.name,
          field.kid in device.fields && <FieldCell key={field.kid} field={field} value={device.fields[field.kid]} />,
        ])}
      >
        {fields.length > 0 && button}
      </Part>
      {dialog.is('fields') && fields.length > 0 && <ValuesDrawer device={device} onClose={dialog.close} />}
    </>
  )
}

function EditableTags({ device }: { device: TerminalDetail }) {
  const { t } = useTranslation(['device-filters', 'common'])
  const [draft, setDraft] = useState<readonly string[] | null>(null)
  const update = useWrite(api.terminal.update_fields, {
    done: t('tags.saved'),
    also: ['terminal_dynamic_group'],
    onSuccess: () => setDraft(null),
  })
  if (!draft)
    return (
      <span className="device-tags">
        <Tags of={device.tags} />
        <May needs="deviceList:edit">
          <button
            type="button"
            className="icon-button"
            aria-label={t('tags.edit')}
            title={t('tags.edit')}
            onClick={() => setDraft(device.tags)}
          >
            <EditOutlined aria-hidden />
          </button>
        </May>
      </span>
    )
  // What changed, not what there is: somebody else may be adding a tag at the same time.
  const save = () =>
    update.run({
      kid: device.kid,
      tags: {
        add: draft.filter((tag) => !device.tags.includes(tag)),
        remove: device.tags.filter((tag) => !draft.includes(tag)),
      },
    })
  return (
    <div className="device-tags-edit">
      <TagsInput autoFocus value={draft} onChange={setDraft} />
      <Button size="small" type="primary" loading={update.isPending} onClick={() => void save()}>
        {t('common:save')}
      </Button>
      <Button size="small" onClick={() => setDraft(null)}>
        {t('common:cancel')}
      </Button>
    </div>
  )
}

type Values = Record<string, FieldValue | null | undefined>
function ValuesDrawer({ device, onClose }: { device: TerminalDetail; onClose: () => void }) {
  const { t } = useTranslation('device-filters')
  const fields = useCustomFields()
  const update = useWrite(api.terminal.update_fields, { done: t('values.saved'), also: ['terminal_dynamic_group'] })
  const changed = (values: Values) =>
    Object.fromEntries(
      fields
        .map(({ kid }): [string, FieldValue | null] => [kid, values[kid] ?? null])
        .filter(([kid, value]) => value !== (device.fields[kid] ?? null)),
    )
  return (
    <FormDrawer<Values>
      title={t('values.title')}
      submit={t('values.submit')}
      initial={device.fields}
      loading={update.isPending}
      submitError={update.error}
      onSubmit={(values) => update.mutateAsync({ kid: device.kid, fields: changed(values) })}
      onDone={onClose}
      onClose={onClose}
    >
      {fields.map((field) => (
        <Field key={field.kid} name={field.kid} label={field.name}>
          <FieldInput field={field} />
        </Field>
      ))}
    </FormDrawer>
  )
}
