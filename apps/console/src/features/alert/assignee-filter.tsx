import { useTranslation } from 'react-i18next'
import type { Alert } from '@mdm/contract'
import type { Filter } from '../../ui/list/filters.tsx'
import { SearchChoice } from '../../ui/list/SearchChoice.tsx'
import { nobody, usePeople } from './use-people.ts'

type Listed = { values: { assignee?: string }; rows: readonly Alert[] }

/** In whose hands: the caller's, nobody's, or a person's. The rows that were found name who is chosen. */
export function useAssigneeFilter({ values, rows }: Listed): Filter {
  const { t } = useTranslation('alert')
  const { assignee } = values
  const fixed = { me: t('assignee.me'), [nobody]: t('assignee.nobody') } as Record<string, string>
  const row = rows.find(({ assignee_kid }) => assignee_kid === assignee)
  return {
    key: 'assignee',
    kind: 'own',
    label: t('column.assignee'),
    shown: assignee && (fixed[assignee] ?? row?.assignee_name ?? undefined),
    editor: (choose) => <Choice fixed={fixed} chosen={assignee} onChoose={choose} />,
  }
}

type Props = { fixed: Readonly<Record<string, string>>; chosen: string | undefined; onChoose: (value: string) => void }
function Choice({ fixed, chosen, onChoose }: Props) {
  const { t } = useTranslation('alert')
  const { typed, query, found } = usePeople()
  return (
    <div className="alert-people">
      <SearchChoice
        {...{ typed, query, chosen, onChoose }}
        label={t('assignee.search')}
        fixed={Object.entries(fixed).map(([key, label]) => ({ key, label }))}
        found={found.map(({ value, label }) => ({ key: value, label }))}
        none={t('assignee.none')}
      />
    </div>
  )
}
