import { useTranslation } from 'react-i18next'
import type { AnyCall } from '../../core/api.ts'
import { ConfirmWrite } from '../../ui/dialog/ConfirmWrite.tsx'
import { peopleSides } from './sides.ts'
import type { PeopleSide, PersonRow } from './sides.ts'

export type PersonDialogKind = 'disable' | 'reset_totp' | 'delete'
type Confirmation = {
  call: AnyCall
  input: object
  title: string
  text: string
  submit: string
  done: string
  also?: string[]
}
type Props = { side: PeopleSide; kind: PersonDialogKind; row: PersonRow; onClose: () => void }

/** What is taken from a person: asked first, with what it means. */
export function PersonDialog({ side, kind, row: { kid, name }, onClose }: Props) {
  const { t } = useTranslation('user-account')
  const { calls } = peopleSides[side]
  const dialogs: Record<PersonDialogKind, Confirmation> = {
    disable: {
      call: calls.set_status,
      input: { kid, status: 'invalid' },
      title: t('disable_title', { name }),
      text: t('disable_text'),
      submit: t('disable_submit'),
      done: t('disabled'),
    },
    reset_totp: {
      call: calls.reset_totp,
      input: { kid },
      title: t('reset_title', { name }),
      text: t('reset_text'),
      submit: t('reset_submit'),
      done: t('reset_done'),
    },
    delete: {
      call: calls.delete,
      input: { kid },
      title: t('delete_title', { name }),
      text: t('delete_text'),
      submit: t('delete_submit'),
      done: t('deleted'),
      also: [side === 'account' ? 'role' : 'ops/role'],
    },
  }
  const { text, ...dialog } = dialogs[kind]
  return (
    <ConfirmWrite {...dialog} onClose={onClose}>
      <p>{text}</p>
    </ConfirmWrite>
  )
}
