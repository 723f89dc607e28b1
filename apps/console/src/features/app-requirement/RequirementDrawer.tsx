import { Form, Radio, Select } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AppRequirement, ExecutionWindow } from '@mdm/contract'
import { api, useCall, useWrite } from '../../core/api.ts'
import { searchSelect, useTyped } from '../../ui/form/search-select.ts'
import { WindowInput } from '../../shared/windows/WindowInput.tsx'
import { GroupPicker } from '../../shared/groups/GroupPicker.tsx'
import { readSteps } from '../push-task/public.ts'
import type { StepsDraft } from '../push-task/public.ts'
import { stepsDraftOf, StepsInput } from './StepsInput.tsx'
import { RequirementPreview } from './RequirementPreview.tsx'
import { VersionSelect } from './VersionSelect.tsx'
import { Field, FormDrawer } from '../../ui/form/form.tsx'
import { SwitchField } from '../../ui/form/SwitchField.tsx'

type Values = {
  app_kid: string
  group: string
  /** Null: the newest. */
  version_kid: string | null
  steps: StepsDraft | null
  network: 'any' | 'wifi'
  prompt: 'none' | 'ask' | 'force'
  window: ExecutionWindow | null
  is_on: boolean
}

/** Which app, for whom, and what its pushes wait for on a device. App and group of a rule stay. */
export function RequirementDrawer({ row, onClose }: { row?: AppRequirement; onClose: () => void }) {
  const { t } = useTranslation(['app-requirement', 'common'])
  const [form] = Form.useForm<Values>()
  const insert = useWrite(api.appRequirement.insert, { done: t('added') })
  const update = useWrite(api.appRequirement.update, { done: t('saved') })
  const write = row ? update : insert
  const what = ({ version_kid, steps }: Values) => ({
    version_kid,
    rollout: steps && (readSteps(steps).rollout ?? null),
  })
  const conditions = ({ network, prompt, window }: Values) => ({
    network,
    prompt,
    ...(window && { window }),
  })
  return (
    <FormDrawer<Values>
      width={520}
      form={form}
      title={row ? t('edit_of', { name: row.app_name }) : t('add')}
      submit={row ? t('common:save') : t('add')}
      initial={{
        app_kid: row?.app_kid ?? (undefined as unknown as string),
        group: row?.terminal_group_kid ?? 'ALL',
        version_kid: row?.version_kid ?? null,
        steps: row?.rollout ? stepsDraftOf(row.rollout) : null,
        network: row?.conditions.network ?? 'any',
        prompt: row?.conditions.prompt ?? 'none',
        window: row?.conditions.window ?? null,
        is_on: row?.is_on ?? true,
      }}
      loading={write.isPending}
      submitError={write.error}
      onSubmit={(values) =>
        row
          ? update.mutateAsync({ kid: row.kid, is_on: values.is_on, ...what(values), conditions: conditions(values) })
          : insert.mutateAsync({
              app_kid: values.app_kid,
              terminal_group_kid: values.group === 'ALL' ? null : values.group,
              is_on: values.is_on,
              ...what(values),
              conditions: conditions(values),
            })
      }
      onDone={onClose}
      onClose={onClose}
    >
      {!row && (
        <>
          <Field
            name="app_kid"
            label={t('column.app')}
            extra={t('app_hint')}
            rules={[{ required: true, message: t('common:invalid.required') }]}
          >
            <ListedApps onPick={() => form.setFieldValue('version_kid', null)} />
          </Field>
          <Field name="group" label={t('column.group')} extra={t('group_hint')}>
            <GroupPicker special={['ALL']} />
          </Field>
        </>
      )}
      <Form.Item noStyle dependencies={['app_kid']}>
        {({ getFieldValue }) => (
          <Field name="version_kid" label={t('version.label')} extra={t('version.hint')}>
            <VersionSelect app_kid={(getFieldValue('app_kid') as string | undefined) ?? row?.app_kid} />
          </Field>
        )}
      </Form.Item>
      <Form.Item noStyle dependencies={['app_kid', 'group', 'version_kid']}>
        {({ getFieldsValue }) => {
          const { app_kid = row?.app_kid, group, version_kid } = getFieldsValue(true) as Partial<Values>
          return <RequirementPreview app_kid={app_kid} group={group ?? 'ALL'} version_kid={version_kid ?? null} />
        }}
      </Form.Item>
      <Field
        name="steps"
        rules={[
          {
            validator: (_, steps: StepsDraft | null) =>
              steps && !readSteps(steps).rollout ? Promise.reject(new Error(t('steps.wrong'))) : Promise.resolve(),
          },
        ]}
      >
        <StepsInput />
      </Field>
      <Field name="network" label={t('network.label')}>
        <Radio.Group options={(['any', 'wifi'] as const).map((value) => ({ value, label: t(`network.${value}`) }))} />
      </Field>
      <Field name="prompt" label={t('prompt.label')}>
        <Select
          options={(['none', 'ask', 'force'] as const).map((value) => ({ value, label: t(`prompt.${value}`) }))}
        />
      </Field>
      <Field name="window" label={t('window.label')} extra={t('window.hint')}>
        <WindowInput />
      </Field>
      <SwitchField name="is_on" label={t('column.on')} />
    </FormDrawer>
  )
}

type AppsProps = {
  id?: string
  value?: string
  onChange?: (kid: string) => void
  /** A version is one of the app. */
  onPick: () => void
}
/** The control of a field: a listed app, found by its name among however many there are. */
function ListedApps({ onChange, onPick, ...props }: AppsProps) {
  const typed = useTyped()
  const { text } = typed
  const query = useCall(
    api.appCenter.paging,
    { state: 'listed', page_size: 50, sort: 'name', text },
    { keepPrevious: true },
  )
  const found = (query.data?.items ?? []).map((app) => ({ value: app.kid, label: `${app.name} (${app.package})` }))
  // What is chosen keeps its name although the search does not find it.
  const [chosen, setChosen] = useState<(typeof found)[number]>()
  return (
    <Select<string>
      {...props}
      autoFocus
      {...searchSelect(typed, query, found, chosen ? [chosen] : [])}
      onChange={(kid) => {
        typed.setTyped('')
        setChosen(found.find(({ value }) => value === kid))
        onChange?.(kid)
        onPick()
      }}
    />
  )
}
