import { Button, Form, Input, InputNumber, Select } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  alertActionNeeds,
  alertActionTypes,
  alertKindNames,
  alertKinds,
  alertLimits,
  holds,
  severities,
} from '@mdm/contract'
import type { AlertActionType, AlertKind, AlertRule, Sent, Severity } from '@mdm/contract'
import { api, useCall, useWrite } from '../../core/api.ts'
import { useSession } from '../../core/session.tsx'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { listText } from '../../i18n/list-text.ts'
import { GroupPicker } from '../../shared/groups/GroupPicker.tsx'
import { Failure } from '../../ui/Failure.tsx'
import { Field, FormDrawer } from '../../ui/form/form.tsx'
import { SwitchField } from '../../ui/form/SwitchField.tsx'
import { useCount } from '../../ui/value/format.ts'
import { firstParams, KindFields } from './kind-fields.tsx'
import { matchOfWhom, RuleDevices, whomOf } from './rule-devices.tsx'
import type { Whom } from './rule-devices.tsx'
import './alert.css'

type Values = {
  name: string
  is_on: boolean
  kind: AlertKind
  params: Record<string, string | number>
  severity: Severity
  devices: Whom
  for_minutes: number
  calm_minutes: number
  emails: string[]
  is_noncompliant: boolean
  action: AlertActionType | 'none'
  title?: string
  text?: string
  password?: string
  terminal_group_kid?: string
}
type Draft = Sent<typeof api.alertRule.insert>
const schema = api.alertRule.insert.input
const blank: Values = {
  name: '',
  is_on: true,
  kind: 'battery',
  params: firstParams.battery,
  severity: 'warning',
  devices: { kind: 'all' },
  for_minutes: 5,
  calm_minutes: 5,
  emails: [],
  is_noncompliant: false,
  action: 'none',
}
const valuesOf = ({ watch, action, ...rule }: AlertRule): Values => ({
  ...blank,
  ...rule,
  kind: watch.kind,
  params: watch.params,
  devices: whomOf(rule),
  action: action?.type ?? 'none',
  ...(action?.title !== undefined && { title: action.title }),
  ...(action?.text !== undefined && { text: action.text }),
  ...(action?.terminal_group_kid !== undefined && { terminal_group_kid: action.terminal_group_kid }),
})

function actionOf({ action, title, text, password, terminal_group_kid }: Values): Draft['action'] {
  if (action === 'message') return { type: action, title: title ?? '', text: text ?? '' }
  if (action === 'lock') return { type: action, ...(password ? { password } : {}) }
  return action === 'move' ? { type: action, terminal_group_kid: terminal_group_kid ?? '' } : null
}

/** What is watched, for whom, for how long, and what happens then. */
export default function RuleForm({ of, onClose }: { of?: AlertRule; onClose: () => void }) {
  const { t } = useTranslation('alert')
  const textOf = useTextOf()
  const { permissions } = useSession()
  const [form] = Form.useForm<Values>()
  const initial = of ? valuesOf(of) : blank
  const insert = useWrite(api.alertRule.insert, { done: t('rule.made'), also: ['alert', 'terminal'] })
  const update = useWrite(api.alertRule.update, { done: t('rule.saved'), also: ['alert', 'terminal'] })
  const write = of ? update : insert
  const mail = useCall(api.alertRule.check_mail, {})
  // Before its fields are there a form has no values.
  const values: Values = { ...initial, ...(Form.useWatch((all: Values) => all, form) as Values | undefined) }
  const { kind } = values
  const is_account = alertKinds[kind].subject === 'account'
  const match = is_account ? undefined : matchOfWhom(values.devices)
  const draftOf = (given: Values): Draft => ({
    name: given.name,
    is_on: given.is_on,
    severity: given.severity,
    for_minutes: given.for_minutes,
    calm_minutes: given.calm_minutes,
    emails: given.emails,
    watch: { kind: given.kind, params: given.params ?? {} } as Draft['watch'],
    is_noncompliant: !is_account && given.is_noncompliant,
    action: is_account ? null : actionOf(given),
    ...(match ? { match } : {}),
  })
  return (
    <FormDrawer<Values>
      width={640}
      form={form}
      title={of ? t('rule.edit_of', { name: of.name }) : t('rule.add')}
      submit={of ? t('rule.save') : t('rule.add')}
      initial={initial}
      loading={write.isPending}
      submitError={write.error}
      onValues={(all) => {
        if (!Object.keys(alertKinds[all.kind].params.shape).every((name) => name in (all.params ?? {})))
          form.setFieldsValue({ params: firstParams[all.kind] })
      }}
      onSubmit={(given) =>
        of ? update.mutateAsync({ ...draftOf(given), kid: of.kid }) : insert.mutateAsync(draftOf(given))
      }
      onDone={onClose}
      onClose={onClose}
    >
      <Field name="name" label={t('form.name')} schema={schema}>
        <Input autoFocus autoComplete="off" />
      </Field>
      <SwitchField name="is_on" label={t('form.is_on')} />
      <Field name="kind" label={t('form.kind')}>
        <Select options={alertKindNames.map((value) => ({ value, label: textOf(alertKinds[value].title) }))} />
      </Field>
      <KindFields kind={kind} />
      <Field name="severity" label={t('form.severity')}>
        <Select options={severities.map((value) => ({ value, label: t(`severity.${value}`) }))} />
      </Field>
      {!is_account && (
        <Field
          name="devices"
          label={t('form.devices')}
          rules={[
            {
              // Half a choice is not all devices.
              validator: (_rule, whom: Whom) =>
                matchOfWhom(whom) === null ? Promise.reject(new Error(t('form.devices_missing'))) : Promise.resolve(),
            },
          ]}
        >
          <RuleDevices kept={initial.devices} />
        </Field>
      )}
      <Preview values={values} match={match} />
      <div className="alert-times">
        <Field name="for_minutes" label={t('form.for')} extra={t('form.for_hint')} schema={schema}>
          <InputNumber min={0} max={alertLimits.for_max} precision={0} />
        </Field>
        <Field name="calm_minutes" label={t('form.calm')} extra={t('form.calm_hint')} schema={schema}>
          <InputNumber min={0} max={alertLimits.calm_max} precision={0} />
        </Field>
      </div>
      <Field
        name="emails"
        label={t('form.emails')}
        extra={
          mail.data?.is_on === false ? <span className="warn">{t('form.emails_off')}</span> : t('form.emails_hint')
        }
        schema={schema}
      >
        <Select mode="tags" open={false} suffixIcon={null} tokenSeparators={[',', ' ', ';']} />
      </Field>
      {!is_account && (
        <>
          <SwitchField name="is_noncompliant" label={t('form.noncompliant')} />
          <Field name="action" label={t('form.action')}>
            <Select
              options={[
                { value: 'none', label: t('action.none') },
                ...alertActionTypes.map((value) => ({
                  value,
                  label: t(`action.${value}`),
                  disabled: !holds(permissions, alertActionNeeds[value]),
                })),
              ]}
            />
          </Field>
          <ActionFields action={values.action} is_kept={of?.action?.has_password === true} />
        </>
      )}
    </FormDrawer>
  )
}

const required = [{ required: true }]
function ActionFields({ action, is_kept }: { action: Values['action']; is_kept: boolean }) {
  const { t } = useTranslation('alert')
  if (action === 'message')
    return (
      <>
        <Field name="title" label={t('form.title')} rules={required}>
          <Input maxLength={100} autoComplete="off" />
        </Field>
        <Field name="text" label={t('form.text')} rules={required}>
          <Input.TextArea rows={3} maxLength={2000} />
        </Field>
      </>
    )
  if (action === 'lock')
    return (
      <Field name="password" label={t('form.password')} extra={is_kept ? t('form.password_keep') : undefined}>
        <Input.Password inputMode="numeric" maxLength={64} autoComplete="new-password" />
      </Field>
    )
  if (action !== 'move') return null
  return (
    <Field name="terminal_group_kid" label={t('form.group')} rules={required}>
      <GroupPicker />
    </Field>
  )
}

/** Who would fire now, asked for by hand: a rule that is half typed would ask at every key. */
function Preview({ values, match }: { values: Values; match: Draft['match'] | null }) {
  const { t } = useTranslation('alert')
  const count = useCount()
  const [asked, ask] = useState<{ watch: Draft['watch']; match?: Draft['match'] }>()
  const query = useCall(api.alertRule.preview, asked ?? nothing, { enabled: asked !== undefined })
  const watch = { kind: values.kind, params: values.params ?? {} } as Draft['watch']
  const is_whole = alertKinds[values.kind].params.safeParse(values.params ?? {}).success
  const found = asked && query.data
  return (
    <div className="alert-preview">
      <Button
        disabled={!is_whole || match === null}
        loading={asked !== undefined && query.isFetching}
        onClick={() => {
          const now = { watch, ...(match && { match }) }
          // The same again is asked anew: what devices say changes.
          if (JSON.stringify(now) === JSON.stringify(asked)) void query.refetch()
          else ask(now)
        }}
      >
        {t('form.preview')}
      </Button>
      {asked && query.error && <Failure error={query.error} retry={query.refetch} is_line />}
      {found && (
        <div role="status">
          {found.total === 0
            ? t('form.preview_none')
            : asked.watch.kind === 'account_expiry'
              ? t('form.preview_account')
              : t('form.preview_count', { count: found.total, shown: count(found.total) })}
          {found.devices.length > 0 && (
            <p className="dim">
              {listText(found.devices.map(({ sn, name }) => name || sn))}
              {found.total > found.devices.length &&
                ` ${t('form.preview_more', { shown: count(found.total - found.devices.length) })}`}
            </p>
          )}
        </div>
      )}
    </div>
  )
}
const nothing: { watch: Draft['watch'] } = { watch: { kind: 'fence', params: {} } }
