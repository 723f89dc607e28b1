import { ConfirmDanger } from '../../../ui/dialog/ConfirmDanger.tsx'
import { Targets } from '../targets.tsx'
import { useCommand } from './use-command.ts'
import type { CommandProps } from './use-command.ts'

export function RestartDialog(props: CommandProps) {
  const { t, write, send, count } = useCommand(props)
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
      <Targets of={props.targets} push="restart" />
      <p>{t('restart.what')}</p>
    </ConfirmDanger>
  )
}
