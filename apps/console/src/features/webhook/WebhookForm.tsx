import { Form, Input, InputNumber } from 'antd'
import type { FormRule } from 'antd'
import { useTranslation } from 'react-i18next'
import type { Sent, Webhook } from '@mdm/contract'
import { api, useWrite } from '../../core/api.ts'
import { Field, FormDrawer } from '../../ui/form/form.tsx'
import { SwitchField } from '../../ui/form/SwitchField.tsx'
import { EventChoice } from './EventChoice.tsx'
import { webhookSides } from './sides.ts'
import type { WebhookSide } from './sides.ts'

type Values = Sent<typeof api.webhook.insert>
const schema = api.webhook.insert.input
const of_silence = ['device.offline', 'device.online'] as const

type Props = {
  side: WebhookSide
  /** Absent: a new one. */
  of?: Webhook
  onMade: (secret: string) => void
  onClose: () => void
}

export function WebhookForm({ side, of, onMade, onClose }: Props) {
  const { t } = useTranslation('webhook')
  const { calls } = webhookSides[side]
  const insert = useWrite(calls.insert, { onSuccess: ({ secret }) => onMade(secret) })
  const update = useWrite(calls.update, { done: t('saved') })
  const write = of ? update : insert
  return (
    <FormDrawer<Values>
      width={560}
      title={of ? t('edit_of', { name: of.name }) : t('add')}
      submit={of ? t('save') : t('add')}
      initial={of ?? { name: '', url: '', events: [], is_enabled: true, offline_minutes: 60 }}
      loading={write.isPending}
      submitError={write.error}
      onSubmit={({ name, url, events, is_enabled, offline_minutes }) => {
        const draft = { name, url: url.trim(), events, is_enabled: is_enabled ?? true, offline_minutes }
        return of ? update.mutateAsync({ ...draft, kid: of.kid }) : insert.mutateAsync(draft)
      }}
      onDone={onClose}
      onClose={onClose}
    >
      <Field name="name" label={t('name')} schema={schema}>
        <Input autoFocus autoComplete="off" />
      </Field>
      <Field name="url" label={t('address')} extra={t('form.address_hint')} rules={useAddressRules()}>
        <Input className="code" inputMode="url" autoComplete="off" spellCheck={false} maxLength={2000} />
      </Field>
      <SwitchField name="is_enabled" label={t('form.enabled')} extra={t('form.enabled_hint')} />
      <Field name="events" label={t('events')} schema={schema} validateTrigger="onSubmit">
        <EventChoice />
      </Field>
      <OfflineAfter />
    </FormDrawer>
  )
}

/** Asked where the webhook hears of silent devices. */
function OfflineAfter() {
  const { t } = useTranslation('webhook')
  const events = Form.useWatch<Values['events'] | undefined>('events')
  if (!of_silence.some((event) => events?.includes(event))) return null
  return (
    <Field
      name="offline_minutes"
      label={t('form.offline_minutes')}
      extra={t('form.offline_minutes_hint')}
      schema={schema}
    >
      <InputNumber min={5} max={43_200} precision={0} />
    </Field>
  )
}

function useAddressRules(): FormRule[] {
  const { t } = useTranslation(['webhook', 'common'])
  return [
    {
      required: true,
      validator: (_rule, value: string | undefined) => {
        const url = value?.trim()
        if (!url) return Promise.reject(new Error(t('common:invalid.required')))
        return schema.shape.url.safeParse(url).success
          ? Promise.resolve()
          : Promise.reject(new Error(t('form.address_rule')))
      },
    },
  ]
}
