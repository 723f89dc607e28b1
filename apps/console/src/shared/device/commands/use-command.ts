import { useTranslation } from 'react-i18next'
import type { PushWork } from '@mdm/contract'
import { api, useWrite } from '../../../core/api.ts'
import { announcePush } from '../../push/announce.ts'
import { kidsOf } from '../targets.tsx'
import type { Target } from '../targets.tsx'

export type CommandProps = { targets: readonly Target[]; onClose: () => void; onSent?: () => void }

/** Of the fields of a kind, which stand in its short dialog and in the wizard. */
export type FieldsProps = { autoFocus?: boolean }

/** Needs the catalogues 'device' and 'push'. */
export function useCommand({ targets, onSent }: CommandProps) {
  const { t } = useTranslation('device')
  const write = useWrite(api.pushTask.insert, {
    onSuccess: (row) => {
      announcePush(row)
      onSent?.()
    },
  })
  const send = (work: PushWork) => write.mutateAsync({ terminal_kids: kidsOf(targets), ...work })
  return { t, write, send, count: targets.length }
}
