import { FormDrawer } from '../../../ui/form/form.tsx'
import { Targets } from '../targets.tsx'
import { useCommand } from './use-command.ts'
import type { CommandProps } from './use-command.ts'

export function RemoteLogDrawer(props: CommandProps) {
  const { t, write, send, count } = useCommand(props)
  return (
    <FormDrawer
      title={t('remote_log.title', { count })}
      submit={t('remote_log.submit', { count })}
      initial={{}}
      loading={write.isPending}
      submitError={write.error}
      onSubmit={() => send({ type: 'remote_log', payload: {} })}
      onDone={props.onClose}
      onClose={props.onClose}
    >
      <Targets of={props.targets} push="remote_log" />
      <p>{t('remote_log.what')}</p>
    </FormDrawer>
  )
}
