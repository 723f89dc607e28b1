import { EditOutlined } from '@ant-design/icons'
import { useTranslation } from 'react-i18next'
import { useWrite } from '../../core/api.ts'
import { useSession } from '../../core/session.tsx'
import { useAnnounceInvitation } from '../../shared/accounts/invitation.ts'
import type { RowAction } from '../../ui/list/RowActions.tsx'
import type { PersonDialogKind } from './PersonDialog.tsx'
import { peopleSides } from './sides.ts'
import type { PeopleSide, PersonRow } from './sides.ts'

type Options = {
  side: PeopleSide
  editTo: (kid: string) => string
  open: (kind: PersonDialogKind, row: PersonRow) => void
}

export function usePersonActions({ side, editTo, open }: Options): (row: PersonRow) => RowAction[] {
  const { t } = useTranslation(['user-account', 'accounts'])
  const announce = useAnnounceInvitation()
  const { calls, needs } = peopleSides[side]
  const whyNot = useWhyNot(side)
  const enable = useWrite(calls.set_status, { done: t('enabled') })
  const invite = useWrite(calls.invite, { onSuccess: announce })
  return (row) => {
    const { kid, name } = row
    return [
      {
        needs: needs.edit,
        icon: <EditOutlined aria-hidden />,
        label: t('edit_of', { name }),
        disabled_reason: whyNot(row, 'edit'),
        to: editTo(kid),
      },
      ...(row.can.includes('invite')
        ? [{ needs: needs.edit, label: t('accounts:invitation.again'), onSelect: () => void invite.run({ kid }) }]
        : []),
      row.state === 'invalid'
        ? {
            needs: needs.edit,
            label: t('enable'),
            disabled_reason: whyNot(row, 'enable'),
            loading: enable.isPending && enable.variables.kid === kid,
            onSelect: () => void enable.run({ kid, status: 'normal' }),
          }
        : {
            needs: needs.edit,
            label: t('disable'),
            disabled_reason: whyNot(row, 'disable'),
            onSelect: () => open('disable', row),
          },
      {
        needs: needs.edit,
        label: t('reset'),
        disabled_reason: whyNot(row, 'reset_totp'),
        onSelect: () => open('reset_totp', row),
      },
      {
        needs: needs.delete,
        label: t('delete'),
        danger: true,
        disabled_reason: whyNot(row, 'delete'),
        onSelect: () => open('delete', row),
      },
    ]
  }
}

/** Why something cannot be done with a person now, or undefined. */
function useWhyNot(side: PeopleSide): (row: PersonRow, act: PersonRow['can'][number]) => string | undefined {
  const { t } = useTranslation('user-account')
  const { user_kid } = useSession()
  return (row, act) => {
    if (row.can.includes(act)) return undefined
    if (act === 'reset_totp' && !row.has_totp) return t('why_not.no_totp')
    if (row.kid === user_kid) return t('why_not.own')
    // Whose roles are not in the way is kept by being the last who can do everything.
    return t(side === 'inside' && row.can.includes('edit') ? 'why_not.last' : 'why_not.weight')
  }
}
