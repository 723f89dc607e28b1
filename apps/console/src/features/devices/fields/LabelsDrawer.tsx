import { Form, Radio } from 'antd'
import type { FormRule } from 'antd'
import { useTranslation } from 'react-i18next'
import type { CustomField, FieldValue } from '@mdm/contract'
import { api, useWrite } from '../../../core/api.ts'
import { useCustomFields } from '../../../shared/device-filters/device-fields.tsx'
import { FieldInput, TagsInput } from '../../../shared/device-filters/field-inputs.tsx'
import { kidsOf } from '../../../shared/device/targets.tsx'
import type { Target } from '../../../shared/device/targets.tsx'
import { WhichDevices } from '../../../shared/device/WhichDevices.tsx'
import type { Matching } from '../../../shared/device/WhichDevices.tsx'
import { Field, FormDrawer } from '../../../ui/form/form.tsx'
import '../../../shared/device-filters/conditions/where.css'

type Change = { what: 'keep' | 'set' | 'clear'; value?: FieldValue | null }
type Values = { add?: string[]; remove?: string[]; fields?: Record<string, Change> }
type Props = { targets: readonly Target[]; matching?: Matching; onClose: () => void; onDone?: () => void }

/** Tags and fields of many devices at once: only what is chosen changes. */
export function LabelsDrawer({ targets, matching, onClose, onDone }: Props) {
  const { t } = useTranslation('device-filters')
  const fields = useCustomFields()
  const count = matching?.count ?? targets.length
  const update = useWrite(api.terminal.update_fields, { done: t('bulk.done'), also: ['terminal_dynamic_group'] })
  const changes = ({ add = [], remove = [], fields: given = {} }: Values) => ({
    tags: { add, remove },
    fields: Object.fromEntries(
      Object.entries(given).flatMap(([kid, { what, value }]): [string, FieldValue | null][] =>
        what === 'keep' ? [] : [[kid, what === 'clear' ? null : (value ?? null)]],
      ),
    ),
  })
  // At the first field, because a form has no place of its own for what is wrong with all of it.
  const some: FormRule = ({ getFieldsValue }) => ({
    validator: () => {
      const { tags, fields: given } = changes(getFieldsValue(true) as Values)
      const is_any = tags.add.length + tags.remove.length + Object.keys(given).length > 0
      return is_any ? Promise.resolve() : Promise.reject(new Error(t('bulk.nothing')))
    },
  })
  return (
    <FormDrawer<Values>
      title={t('bulk.title', { count })}
      submit={t('bulk.submit', { count })}
      initial={{ add: [], remove: [], fields: Object.fromEntries(fields.map(({ kid }) => [kid, { what: 'keep' }])) }}
      loading={update.isPending}
      submitError={update.error}
      onSubmit={(values) =>
        update.mutateAsync({
          ...(matching ? { match: matching.match } : { terminal_kids: kidsOf(targets) }),
          ...changes(values),
        })
      }
      onDone={() => {
        onDone?.()
        onClose()
      }}
      onClose={onClose}
    >
      <WhichDevices targets={targets} matching={matching} />
      <Field name="add" label={t('bulk.add')} rules={[some]} validateTrigger={[]}>
        <TagsInput />
      </Field>
      <Field name="remove" label={t('bulk.remove')}>
        <TagsInput is_known />
      </Field>
      {fields.map((field) => (
        <ChangeOf key={field.kid} field={field} />
      ))}
    </FormDrawer>
  )
}

function ChangeOf({ field }: { field: CustomField }) {
  const { t } = useTranslation(['device-filters', 'common'])
  const at = ['fields', field.kid]
  const what = Form.useWatch<Change['what']>([...at, 'what'])
  const needed = (_rule: unknown, value?: FieldValue | null) =>
    value === undefined || value === null ? Promise.reject(new Error(t('common:invalid.required'))) : Promise.resolve()
  return (
    <div className="labels-field">
      <Field name={[...at, 'what']} label={field.name}>
        <Radio.Group
          options={(['keep', 'set', 'clear'] as const).map((each) => ({ value: each, label: t(`bulk.${each}`) }))}
        />
      </Field>
      {what === 'set' && (
        <Field name={[...at, 'value']} rules={[{ validator: needed }]}>
          <FieldInput field={field} />
        </Field>
      )}
    </div>
  )
}
