import { useTranslation } from 'react-i18next'
import type { PushWork } from '@mdm/contract'
import { api, useWrite } from '../../../core/api.ts'
import { kidsOf } from '../targets.tsx'
import type { Target } from '../targets.tsx'
import type { Command } from './names.ts'

export type CommandProps = { targets: readonly Target[]; onClose: () => void; onSent?: () => void }

export function useCommand(command: Command, { targets, onSent }: CommandProps) {
  const { t } = useTranslation('device')
  const write = useWrite(api.pushTask.insert, {
    done: t(`${command}.done`, { count: targets.length }),
    onSuccess: () => onSent?.(),
  })
  const send = (work: PushWork) => write.mutateAsync({ terminal_kids: kidsOf(targets), ...work })
  return { t, write, send, count: targets.length }
}
