import { ConfirmDanger } from '../../../ui/dialog/ConfirmDanger.tsx'
import { Targets } from '../targets.tsx'
import { useCommand } from './use-command.ts'
import type { CommandProps } from './use-command.ts'

export function ShutdownDialog(props: CommandProps) {
  const { t, write, send, count } = useCommand(props)
  return (
    <ConfirmDanger
      title={t('shutdown.title', { count })}
      submit={t('shutdown.submit', { count })}
      loading={write.isPending}
      submitError={write.error}
      onConfirm={async () => {
        await send({ type: 'shutdown', payload: {} })
        props.onClose()
      }}
      onClose={props.onClose}
    >
      <Targets of={props.targets} push="shutdown" />
      <p>{t('shutdown.what')}</p>
    </ConfirmDanger>
  )
}
