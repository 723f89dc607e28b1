import { Input, InputNumber } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import * as z from 'zod'
import { constants, pushKinds } from '@mdm/contract'
import type { PushPayload, PushableType } from '@mdm/contract'
import { Field } from '../../../ui/form/form.tsx'
import { zodRules } from '../../../ui/form/zod-rules.ts'
import type { Command } from './names.ts'

type FieldsProps = { autoFocus?: boolean }

/** What can be asked of the device before and after it does the work. */
export type ConditionPart =
  'network' | 'download_prompt' | 'battery' | 'install_prompt' | 'window' | 'restart_after' | 'start_after'

export type PushForm<T extends PushableType> = {
  /** What a person says of the work, as fields of a form; without them there is nothing to say. */
  Fields?: (props: FieldsProps) => ReactNode
  /** Of the form. */
  initial: object
  /** Of the values of the form. */
  payload: (values: any) => PushPayload<T>
  /** Only those that make a difference to the kind. */
  conditions: readonly ConditionPart[]
  /** Which devices get it, or what it is called, is for the server to find out of what is pushed. */
  depends_on_content?: true
  /** Has to be typed before the push is made. */
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
      <Field name="title" label={t('kinds.message.dialog.subject')} rules={zodRules(title)}>
        <Input maxLength={100} autoFocus={autoFocus} autoComplete="off" />
      </Field>
      <Field
        name="text"
        label={t('kinds.message.dialog.text')}
        extra={t('kinds.message.dialog.text_hint')}
        rules={zodRules(text)}
      >
        <Input.TextArea rows={7} maxLength={2000} />
      </Field>
    </>
  )
}

function FindFields({ autoFocus }: FieldsProps) {
  const { t } = useTranslation('device')
  return (
    <Field
      name="seconds"
      label={t('kinds.find.dialog.seconds')}
      extra={t('kinds.find.dialog.seconds_hint')}
      rules={zodRules(seconds)}
    >
      <InputNumber
        min={constants.ring_min_seconds}
        max={600}
        precision={0}
        suffix={t('kinds.find.dialog.unit')}
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
      label={t('kinds.lock.dialog.password')}
      extra={t('kinds.lock.dialog.password_hint')}
      rules={[
        {
          validator: (_rule, value: string | undefined) =>
            password.safeParse(value ?? '').success
              ? Promise.resolve()
              : Promise.reject(new Error(t('kinds.lock.dialog.digits', { min }))),
        },
      ]}
    >
      <Input.Password inputMode="numeric" maxLength={64} autoComplete="new-password" autoFocus={autoFocus} />
    </Field>
  )
}

const nothing = { initial: {}, payload: () => ({}) }
export const asTyped = <V,>(values: V): V => values

/** What is asked of a person for each command, in its short dialog and in the wizard. A new one is its row here. */
export const commandForms: { [C in Command]: PushForm<C> } = {
  message: { Fields: MessageFields, initial: { title: '', text: '' }, payload: asTyped, conditions: ['window'] },
  find: { Fields: FindFields, initial: { seconds: 30 }, payload: asTyped, conditions: ['window'] },
  lock: {
    Fields: LockFields,
    initial: { password: '' },
    // An empty field is no password.
    payload: ({ password: typed }: { password?: string }) => (typed ? { password: typed } : {}),
    conditions: ['window'],
  },
  remote_log: { ...nothing, conditions: ['window'] },
  restart: { ...nothing, conditions: ['window', 'install_prompt'] },
  shutdown: { ...nothing, conditions: ['window', 'install_prompt'] },
  factory_reset: { ...nothing, conditions: ['window', 'install_prompt'], confirm_word: 'DELETE' },
}
