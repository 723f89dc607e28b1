import { Input, InputNumber } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import * as z from 'zod'
import { constants, pushKinds } from '@mdm/contract'
import type { PushPayload } from '@mdm/contract'
import { Field } from '../../../ui/form/form.tsx'
import { zodRules } from '../../../ui/form/zod-rules.ts'
import type { Command } from './names.ts'

export type FieldsProps = { autoFocus?: boolean }
type CommandForm<C extends Command> = {
  /** What a person says of it; without them there is nothing to say. */
  Fields?: (props: FieldsProps) => ReactNode
  /** Of the fields. */
  initial: object
  payload: (values: any) => PushPayload<C>
  /** Has to be typed before it is done. */
  confirm_word?: 'DELETE'
}

const { title, text } = pushKinds.message.payload.shape
const { seconds } = pushKinds.find.payload.shape
const min = constants.screen_lock_min
const password = z.string().regex(new RegExp(`^(\\d{${min},64})?$`))

function MessageFields({ autoFocus }: FieldsProps) {
  const { t } = useTranslation('device')
  return (
    <>
      <Field name="title" label={t('message.subject')} rules={zodRules(title)}>
        <Input maxLength={100} autoFocus={autoFocus} autoComplete="off" />
      </Field>
      <Field name="text" label={t('message.text')} extra={t('message.text_hint')} rules={zodRules(text)}>
        <Input.TextArea rows={7} maxLength={2000} />
      </Field>
    </>
  )
}

function FindFields({ autoFocus }: FieldsProps) {
  const { t } = useTranslation('device')
  return (
    <Field name="seconds" label={t('find.seconds')} extra={t('find.seconds_hint')} rules={zodRules(seconds)}>
      <InputNumber
        min={constants.ring_min_seconds}
        max={600}
        precision={0}
        suffix={t('find.unit')}
        autoFocus={autoFocus}
      />
    </Field>
  )
}

function LockFields({ autoFocus }: FieldsProps) {
  const { t } = useTranslation('device')
  return (
    <Field
      name="password"
      label={t('lock.password')}
      extra={t('lock.password_hint')}
      rules={[
        {
          validator: (_rule, value: string | undefined) =>
            password.safeParse(value ?? '').success
              ? Promise.resolve()
              : Promise.reject(new Error(t('lock.digits', { min }))),
        },
      ]}
    >
      <Input.Password inputMode="numeric" maxLength={64} autoComplete="new-password" autoFocus={autoFocus} />
    </Field>
  )
}

const nothing = { initial: {}, payload: () => ({}) }
const asTyped = <V,>(values: V): V => values

/** What is asked of a person for each command, in its short dialog and in the wizard. */
export const commandForms: { [C in Command]: CommandForm<C> } = {
  message: { Fields: MessageFields, initial: { title: '', text: '' }, payload: asTyped },
  find: { Fields: FindFields, initial: { seconds: 30 }, payload: asTyped },
  lock: {
    Fields: LockFields,
    initial: { password: '' },
    // An empty field is no password.
    payload: ({ password: typed }: { password?: string }) => (typed ? { password: typed } : {}),
  },
  remote_log: nothing,
  restart: nothing,
  shutdown: nothing,
  factory_reset: { ...nothing, confirm_word: 'DELETE' },
}
