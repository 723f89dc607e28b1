import { Input } from 'antd'
import { useTranslation } from 'react-i18next'
import * as z from 'zod'
import { constants } from '@mdm/contract'
import { Field, FormDrawer } from '../../../ui/form/form.tsx'
import { Targets } from '../targets.tsx'
import { useCommand } from './use-command.ts'
import type { CommandProps, FieldsProps } from './use-command.ts'

const min = constants.screen_lock_min
const password = z.string().regex(new RegExp(`^(\\d{${min},64})?$`))

export function LockDrawer(props: CommandProps) {
  const { t, write, send, count } = useCommand(props)
  return (
    <FormDrawer<{ password: string }>
      title={t('lock.title', { count })}
      submit={t('lock.submit', { count })}
      initial={{ password: '' }}
      loading={write.isPending}
      submitError={write.error}
      onSubmit={(values) => send({ type: 'lock', payload: lockPayload(values) })}
      onDone={props.onClose}
      onClose={props.onClose}
    >
      <Targets of={props.targets} push="lock" />
      <LockFields autoFocus />
    </FormDrawer>
  )
}

/** An empty field is no password. */
export const lockPayload = ({ password: given }: { password?: string | undefined }) =>
  given ? { password: given } : {}

export function LockFields({ autoFocus }: FieldsProps) {
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
