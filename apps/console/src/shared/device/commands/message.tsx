import { Input } from 'antd'
import { useTranslation } from 'react-i18next'
import { pushKinds } from '@mdm/contract'
import { Field, FormDrawer } from '../../../ui/form/form.tsx'
import { zodRules } from '../../../ui/form/zod-rules.ts'
import { Targets } from '../targets.tsx'
import { useCommand } from './use-command.ts'
import type { CommandProps, FieldsProps } from './use-command.ts'

const { title, text } = pushKinds.message.payload.shape

export function MessageDrawer(props: CommandProps) {
  const { t, write, send, count } = useCommand(props)
  return (
    <FormDrawer<{ title: string; text: string }>
      title={t('message.title', { count })}
      submit={t('message.submit', { count })}
      initial={{ title: '', text: '' }}
      loading={write.isPending}
      submitError={write.error}
      onSubmit={(payload) => send({ type: 'message', payload })}
      onDone={props.onClose}
      onClose={props.onClose}
    >
      <Targets of={props.targets} push="message" />
      <MessageFields autoFocus />
    </FormDrawer>
  )
}

export function MessageFields({ autoFocus }: FieldsProps) {
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
