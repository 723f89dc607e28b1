import { InputNumber } from 'antd'
import { useTranslation } from 'react-i18next'
import { constants, pushKinds } from '@mdm/contract'
import { Field, FormDrawer } from '../../../ui/form/form.tsx'
import { zodRules } from '../../../ui/form/zod-rules.ts'
import { Targets } from '../targets.tsx'
import { useCommand } from './use-command.ts'
import type { CommandProps, FieldsProps } from './use-command.ts'

const { seconds } = pushKinds.find.payload.shape
export const find_seconds = 30

export function FindDrawer(props: CommandProps) {
  const { t, write, send, count } = useCommand(props)
  return (
    <FormDrawer<{ seconds: number }>
      title={t('find.title', { count })}
      submit={t('find.submit', { count })}
      initial={{ seconds: find_seconds }}
      loading={write.isPending}
      submitError={write.error}
      onSubmit={(payload) => send({ type: 'find', payload })}
      onDone={props.onClose}
      onClose={props.onClose}
    >
      <Targets of={props.targets} push="find" />
      <FindFields autoFocus />
    </FormDrawer>
  )
}

export function FindFields({ autoFocus }: FieldsProps) {
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
