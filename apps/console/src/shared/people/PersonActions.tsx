import { EditOutlined, EllipsisOutlined } from '@ant-design/icons'
import { Button, Dropdown } from 'antd'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useWrite } from '../../core/api.ts'
import { DisabledReason } from '../../ui/dialog/DisabledReason.tsx'
import { useMay, useSession } from '../../core/session.tsx'
import type { PersonAct } from './PersonDialog.tsx'
import { peopleSides } from './sides.ts'
import type { PeopleSide, PersonRow } from './sides.ts'

type Props = { side: PeopleSide; row: PersonRow; edit: string; onWant: (act: PersonAct) => void }

export function PersonActions({ side, row, edit, onWant }: Props) {
  const { t } = useTranslation('people')
  const navigate = useNavigate()
  const { calls, needs } = peopleSides[side]
  const may_edit = useMay(needs.edit)
  const may_delete = useMay(needs.delete)
  const whyNot = useWhyNot(side, row)
  const enable = useWrite(calls.set_status, { done: t('enabled') })
  const is_off = row.state === 'invalid'
  const item = (key: PersonAct | 'enable', label: string, is_danger = false) => {
    const reason = whyNot(key)
    return {
      key,
      label,
      danger: is_danger && reason === undefined,
      disabled: reason !== undefined,
      title: reason ?? '',
    }
  }
  const items = [
    ...(may_edit
      ? [is_off ? item('enable', t('enable')) : item('disable', t('disable')), item('reset_totp', t('reset'))]
      : []),
    ...(may_edit && may_delete ? [{ type: 'divider' as const }] : []),
    ...(may_delete ? [item('delete', t('delete'), true)] : []),
  ]
  return (
    <span className="row-actions">
      {may_edit && (
        <DisabledReason because={whyNot('edit')}>
          <Button
            type="text"
            size="small"
            icon={<EditOutlined aria-hidden />}
            aria-label={t('edit_of', { name: row.name })}
            onClick={() => void navigate(edit)}
          />
        </DisabledReason>
      )}
      <Dropdown
        autoFocus
        trigger={['click']}
        menu={{
          items,
          onClick: ({ key }) =>
            key === 'enable' ? void enable.run({ kid: row.kid, status: 'normal' }) : onWant(key as PersonAct),
        }}
      >
        <Button
          type="text"
          size="small"
          icon={<EllipsisOutlined aria-hidden />}
          loading={enable.isPending}
          aria-label={t('more_of', { name: row.name })}
        />
      </Dropdown>
    </span>
  )
}

/** Why something cannot be done with a person now, or undefined. */
function useWhyNot(side: PeopleSide, row: PersonRow): (act: PersonRow['can'][number]) => string | undefined {
  const { t } = useTranslation('people')
  const { user_kid } = useSession()
  return (act) => {
    if (row.can.includes(act)) return undefined
    if (act === 'reset_totp' && !row.has_totp) return t('why_not.no_totp')
    if (row.kid === user_kid) return t('why_not.own')
    // Whose roles are not in the way is kept by being the last who can do everything.
    return t(side === 'inside' && row.can.includes('edit') ? 'why_not.last' : 'why_not.weight')
  }
}
