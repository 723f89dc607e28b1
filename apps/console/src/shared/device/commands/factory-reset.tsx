import { ConfirmDanger } from '../../../ui/dialog/ConfirmDanger.tsx'
import { Targets } from '../targets.tsx'
import { useCommand } from './use-command.ts'
import type { CommandProps } from './use-command.ts'

export function FactoryResetDialog(props: CommandProps) {
  const { t, write, send, count } = useCommand(props)
  return (
    <ConfirmDanger
      title={t('factory_reset.title', { count })}
      submit={t('factory_reset.submit', { count })}
      word="DELETE"
      loading={write.isPending}
      submitError={write.error}
      onConfirm={async () => {
        await send({ type: 'factory_reset', payload: {} })
        props.onClose()
      }}
      onClose={props.onClose}
    >
      <Targets of={props.targets} push="factory_reset" />
      <p>{t('factory_reset.what', { count })}</p>
    </ConfirmDanger>
  )
}
