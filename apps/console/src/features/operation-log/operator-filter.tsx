import { useTranslation } from 'react-i18next'
import type { OperationLogRow } from '@mdm/contract'
import { useCall } from '../../core/api.ts'
import { useTyped } from '../../ui/form/search-select.ts'
import type { Filter } from '../../ui/list/filters.tsx'
import { SearchChoice } from '../../ui/list/SearchChoice.tsx'
import type { LogCalls } from './OperationLog.tsx'

type Found = { values: { operator_kid?: string }; rows: readonly OperationLogRow[] }

/** By whom. The rows that were found name who is chosen; a log without any asks who there is. */
export function useOperatorFilter(calls: LogCalls, { values, rows }: Found): Filter {
  const { t } = useTranslation('operation-log')
  const { operator_kid } = values
  const row = rows.find((each) => each.operator_kid === operator_kid)
  const people = useCall(calls.list_operator, {}, { enabled: operator_kid !== undefined && !row }).data
  const person = row ?? people?.find((each) => each.operator_kid === operator_kid)
  return {
    key: 'operator_kid',
    kind: 'own',
    label: t('operator'),
    shown: person && (person.operator_name || person.operator_username),
    editor: (choose) => <OperatorChoice calls={calls} chosen={operator_kid} onChoose={choose} />,
  }
}

/** As many as the call answers at most. */
const most = 50
type Props = { calls: LogCalls; chosen: string | undefined; onChoose: (kid: string) => void }

function OperatorChoice({ calls, chosen, onChoose }: Props) {
  const { t } = useTranslation('operation-log')
  const typed = useTyped()
  const { text } = typed
  const query = useCall(calls.list_operator, text ? { text } : {}, { keepPrevious: true })
  const people = query.data ?? []
  return (
    <div className="log-operators">
      <SearchChoice
        {...{ typed, query, chosen, onChoose }}
        label={t('operator_search')}
        found={people.map(({ operator_kid, operator_name, operator_username }) => ({
          key: operator_kid,
          label: (
            <>
              {operator_name || operator_username}
              {operator_name && operator_name !== operator_username && (
                <span className="dim"> {operator_username}</span>
              )}
            </>
          ),
        }))}
        none={t('operator_none')}
      />
      {people.length >= most && <p className="dim">{t('operator_more')}</p>}
    </div>
  )
}
