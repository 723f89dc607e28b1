import { useTranslation } from 'react-i18next'
import { pushKindOf } from '@mdm/contract'
import type { PushWork } from '@mdm/contract'
import { api, useWrite } from '../../../core/api.ts'
import { ConfirmDanger } from '../../../ui/dialog/ConfirmDanger.tsx'
import { FormDrawer } from '../../../ui/form/form.tsx'
import { announcePush } from '../../push/announce.ts'
import { kidsOf, Targets } from '../targets.tsx'
import type { Target } from '../targets.tsx'
import { commandForms } from './forms.tsx'
import type { Command } from './names.ts'

type Props = { command: Command; targets: readonly Target[]; onClose: () => void; onSent?: () => void }
/** The drawer or dialog of a command. Mount it only while open. Needs the catalogues 'device' and 'push'. */
export function CommandDialog({ command, targets, onClose, onSent }: Props) {
  const { t } = useTranslation('device')
  const { Fields, initial, payload, confirm_word } = commandForms[command]
  const write = useWrite(api.pushTask.insert, {
    onSuccess: (row) => {
      announcePush(row)
      onSent?.()
    },
  })
  const send = (values: object) =>
    write.mutateAsync({ terminal_kids: kidsOf(targets), type: command, payload: payload(values) } as PushWork)
  const count = targets.length
  const shell = {
    title: t(`kinds.${command}.dialog.title`, { count }),
    submit: t(`kinds.${command}.dialog.submit`, { count }),
    loading: write.isPending,
    submitError: write.error,
    onClose,
  }
  const hit = <Targets of={targets} push={command} />
  const what = Fields ? <Fields autoFocus /> : <p>{t(`kinds.${command as Unspoken}.dialog.what`, { count })}</p>
  if (Fields || !pushKindOf(command).is_destructive)
    return (
      <FormDrawer {...shell} initial={initial} onSubmit={send} onDone={onClose}>
        {hit}
        {what}
      </FormDrawer>
    )
  return (
    <ConfirmDanger
      {...shell}
      {...(confirm_word && { word: confirm_word })}
      onConfirm={async () => {
        await send(initial)
        onClose()
      }}
    >
      {hit}
      {what}
    </ConfirmDanger>
  )
}
/** Commands of which a person has nothing to say: their dialog says what they do. */
type Unspoken = Exclude<Command, 'message' | 'find' | 'lock'>
