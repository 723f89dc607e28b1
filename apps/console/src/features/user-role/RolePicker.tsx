import { Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { useSession } from '../../core/session.tsx'
import { matches } from '../../shared/groups/group-tree.ts'
import { ownWeight, useRoleChoices } from './sides.ts'
import type { RoleSide } from './sides.ts'
import './roles.css'

type Props = {
  side: RoleSide
  /** Roles that the person has already, shown by name even before the others are known. */
  known?: readonly { kid: string; name: string }[]
  disabled?: boolean
  /** `Field` gives these three. */
  id?: string
  value?: string[]
  onChange?: (kids: string[]) => void
}

/** Chooses roles to give; those that this person cannot give are there, dimmed, with the reason. */
export function RolePicker({ side, known = [], value = [], ...field }: Props) {
  const { t } = useTranslation('user-role')
  const session = useSession()
  const query = useRoleChoices(side)
  const roles = query.data ?? []
  const own = ownWeight(side, roles, session)
  const options = roles.map((role) => {
    const reason = role.can_assign ? undefined : t(role.weight >= own ? 'pick_weight' : 'pick_beyond')
    return {
      value: role.kid,
      label: role.name,
      code: role.code,
      reason,
      disabled: reason !== undefined && !value.includes(role.kid),
    }
  })
  const others = known.filter(({ kid }) => !roles.some((role) => role.kid === kid))
  return (
    <Select<string[]>
      {...field}
      value={value}
      mode="multiple"
      className="role-picker"
      showSearch={{
        filterOption: (typed, option) =>
          [option?.label, option?.code].some((part) => matches(String(part ?? ''), typed)),
      }}
      loading={query.isPending}
      placeholder={t('pick')}
      notFoundContent={query.error ? query.error.message : t('pick_none')}
      options={[
        ...options,
        ...others.map(({ kid, name }) => ({ value: kid, label: name, code: '', reason: undefined, disabled: false })),
      ]}
      optionRender={({ data }) => (
        <span className="role-option">
          <span>
            {data.label} <code className="dim">{data.code}</code>
          </span>
          {data.reason && <span className="dim">{data.reason}</span>}
        </span>
      )}
    />
  )
}
