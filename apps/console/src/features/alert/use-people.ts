import { api, useCall } from '../../core/api.ts'
import { useSession } from '../../core/session.tsx'
import { useTyped } from '../../ui/form/search-select.ts'

/** What the assignee of nobody is called in a choice. */
export const nobody = 'nobody'

/** People of the account who may look after these alerts, found by a part of their names. */
export function usePeople(kids?: readonly string[]) {
  const typed = useTyped()
  const { text } = typed
  const query = useCall(
    api.alert.list_assignee,
    { ...(kids && kids.length > 0 && { kids: [...kids] }), ...(text && { text }) },
    { keepPrevious: true },
  )
  const found = (query.data ?? []).map(({ kid, name, username }) => ({
    value: kid,
    label: name === username ? name : `${name} (${username})`,
  }))
  return { typed, query, found }
}

/** The kid of the person where that is one of the account's own people: alerts are assigned to those. */
export function useOwnKid(): string | undefined {
  const { user_kid, own_account_kid, account_kid } = useSession()
  return own_account_kid === account_kid ? user_kid : undefined
}
