import { Input } from 'antd'
import * as z from 'zod'
import { constants } from '@mdm/contract'
import { Field, FormDrawer } from '../../../ui/form/form.tsx'
import { Targets } from '../targets.tsx'
import { useCommand } from './use-command.ts'
import type { CommandProps } from './use-command.ts'

export function LockDrawer(props: CommandProps) {
  const { t, write, send, count } = useCommand('lock', props)
  const min = constants.screen_lock_min
  const password = z.string().regex(new RegExp(`^(\\d{${min},64})?$`))
  return (
    <FormDrawer<{ password: string }>
      title={t('lock.title', { count })}
      submit={t('lock.submit', { count })}
      initial={{ password: '' }}
      loading={write.isPending}
      submitError={write.error}
      onSubmit={(values) => send({ type: 'lock', payload: values.password ? { password: values.password } : {} })}
      onDone={props.onClose}
      onClose={props.onClose}
    >
      <Targets of={props.targets} is_push />
      <Field
        name="password"
        label={t('lock.password')}
        extra={t('lock.password_hint')}
        rules={[
          {
            validator: (_rule, value: string) =>
              password.safeParse(value).success
                ? Promise.resolve()
                : Promise.reject(new Error(t('lock.digits', { min }))),
          },
        ]}
      >
        <Input.Password inputMode="numeric" maxLength={64} autoComplete="new-password" autoFocus />
      </Field>
    </FormDrawer>
  )
}
