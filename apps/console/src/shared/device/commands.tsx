import { Input, InputNumber } from 'antd'
import { useTranslation } from 'react-i18next'
import * as z from 'zod'
import { constants } from '@mdm/contract'
import type { PushWork } from '@mdm/contract'
import { api, useWrite } from '../../core/api.ts'
import { ConfirmDanger } from '../../ui/dialog/ConfirmDanger.tsx'
import { Field, FormDrawer } from '../../ui/form/form.tsx'
import { zodRules } from '../../ui/form/zod-rules.ts'
import type { Command } from './command-names.ts'
import { kidsOf, Targets } from './targets.tsx'
import type { Target } from './targets.tsx'

type Props = { targets: readonly Target[]; onClose: () => void; onSent?: () => void }

function useCommand(command: Command, { targets, onSent }: Props) {
  const { t } = useTranslation('device')
  const write = useWrite(api.pushTask.insert, {
    done: t(`${command}.done`, { count: targets.length }),
    onSuccess: () => onSent?.(),
  })
  const send = (work: PushWork) => write.mutateAsync({ terminal_kids: kidsOf(targets), ...work })
  return { t, write, send, count: targets.length }
}

const seconds = z.number().int().min(constants.ring_min_seconds).max(600)
const subject = z.string().trim().min(1).max(100)
const body = z.string().trim().min(1).max(2000)

export function MessageDrawer(props: Props) {
  const { t, write, send, count } = useCommand('message', props)
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
      <Targets of={props.targets} is_push />
      <Field name="title" label={t('message.subject')} rules={zodRules(subject)}>
        <Input maxLength={100} autoFocus />
      </Field>
      <Field name="text" label={t('message.text')} extra={t('message.text_hint')} rules={zodRules(body)}>
        <Input.TextArea rows={7} maxLength={2000} />
      </Field>
    </FormDrawer>
  )
}

export function FindDrawer(props: Props) {
  const { t, write, send, count } = useCommand('find', props)
  return (
    <FormDrawer<{ seconds: number }>
      title={t('find.title', { count })}
      submit={t('find.submit', { count })}
      initial={{ seconds: 30 }}
      loading={write.isPending}
      submitError={write.error}
      onSubmit={(payload) => send({ type: 'find', payload })}
      onDone={props.onClose}
      onClose={props.onClose}
    >
      <Targets of={props.targets} is_push />
      <Field name="seconds" label={t('find.seconds')} extra={t('find.seconds_hint')} rules={zodRules(seconds)}>
        <InputNumber min={constants.ring_min_seconds} max={600} precision={0} suffix={t('find.unit')} autoFocus />
      </Field>
    </FormDrawer>
  )
}

export function LockDrawer(props: Props) {
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

export function RestartDialog(props: Props) {
  const { t, write, send, count } = useCommand('restart', props)
  return (
    <ConfirmDanger
      title={t('restart.title', { count })}
      submit={t('restart.submit', { count })}
      loading={write.isPending}
      submitError={write.error}
      onConfirm={async () => {
        await send({ type: 'restart', payload: {} })
        props.onClose()
      }}
      onClose={props.onClose}
    >
      <Targets of={props.targets} is_push />
      <p>{t('restart.what')}</p>
    </ConfirmDanger>
  )
}

const dialogs = { message: MessageDrawer, find: FindDrawer, lock: LockDrawer, restart: RestartDialog } as const
/** The drawer or dialog of a command. Mount it only while open. */
export function CommandDialog({ command, ...props }: Props & { command: Command }) {
  const Dialog = dialogs[command]
  return <Dialog {...props} />
}
