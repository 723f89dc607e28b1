import { Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { searchSelect } from '../../ui/form/search-select.ts'
import { nobody, usePeople } from './use-people.ts'

type Props = {
  /** Alerts that the person has to see. */
  kids: readonly string[]
  /** Who it is now: a kid, or `nobody`; undefined where several alerts differ. */
  value: string | undefined
  /** What that person is called, found or not. */
  name?: string | null
  loading?: boolean
  onChange: (value: string) => void
}

/** Who looks after alerts: a person of the account who may see them, or nobody. */
export function PersonSelect({ kids, value, name, loading = false, onChange }: Props) {
  const { t } = useTranslation('alert')
  const { typed, query, found } = usePeople(kids)
  const chosen = [
    { value: nobody, label: t('assignee.nobody') },
    ...(value && value !== nobody && name ? [{ value, label: name }] : []),
  ]
  const select = searchSelect(typed, query, found, chosen)
  return (
    <Select<string>
      className="alert-person"
      aria-label={t('column.assignee')}
      placeholder={t('assignee.choose')}
      value={value ?? null}
      {...select}
      loading={select.loading || loading}
      onChange={(kid) => {
        typed.setTyped('')
        onChange(kid)
      }}
    />
  )
}
