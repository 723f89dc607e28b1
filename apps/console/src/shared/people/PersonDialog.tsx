import { useTranslation } from 'react-i18next'
import { useWrite } from '../../core/api.ts'
import { ConfirmDanger } from '../../ui/dialog/ConfirmDanger.tsx'
import { peopleSides } from './sides.ts'
import type { PeopleSide, PersonRow } from './sides.ts'

export type PersonAct = 'disable' | 'reset_totp' | 'delete'
type Props = { side: PeopleSide; act: PersonAct; row: PersonRow; onClose: () => void }

/** What is taken from a person: asked first, with what it means. */
export function PersonDialog({ side, act, row, onClose }: Props) {
  const { t } = useTranslation('people')
  const { calls } = peopleSides[side]
  const { kid, name } = row
  const also = [side === 'account' ? 'role' : 'ops/role']
  const disable = useWrite(calls.set_status, { done: t('disabled'), onSuccess: onClose })
  const reset = useWrite(calls.reset_totp, { done: t('reset_done'), onSuccess: onClose })
  const remove = useWrite(calls.delete, { done: t('deleted'), also, onSuccess: onClose })
  const dialogs = {
    disable: {
      title: t('disable_title', { name }),
      text: t('disable_text'),
      submit: t('disable_submit'),
      write: disable,
      onConfirm: () => disable.mutateAsync({ kid, status: 'invalid' }),
    },
    reset_totp: {
      title: t('reset_title', { name }),
      text: t('reset_text'),
      submit: t('reset_submit'),
      write: reset,
      onConfirm: () => reset.mutateAsync({ kid }),
    },
    delete: {
      title: t('delete_title', { name }),
      text: t('delete_text'),
      submit: t('delete_submit'),
      write: remove,
      onConfirm: () => remove.mutateAsync({ kid }),
    },
  }
  const { title, text, submit, write, onConfirm } = dialogs[act]
  return (
    <ConfirmDanger
      title={title}
      submit={submit}
      loading={write.isPending}
      submitError={write.error}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p>{text}</p>
    </ConfirmDanger>
  )
}
