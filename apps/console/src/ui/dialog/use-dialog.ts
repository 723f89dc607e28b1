import { useState } from 'react'
import { holds } from '@mdm/contract'
import type { Permission } from '@mdm/contract'
import { useSearch, withParams, withParamsIn } from '../../core/address.ts'
import { useSession } from '../../core/session.tsx'

export type Dialogs<K extends string, R> = {
  /** Whether the one is open that is of no row. */
  is: (kind: K) => boolean
  /** The row that one is open for. */
  of: (kind: K) => R | undefined
  /** Whichever is open for a row. */
  opened: { kind: K; row: R } | null
  open: (kind: K, row?: { kid: string }) => void
  close: () => void
}

/**
 * The drawer or dialog that stands open over a page, and the row it is of. It is in the address: a reload, a link and the
 * back button know it, and what a list in it is set to, which goes when it closes. One that the person may not use is not opened by an address either.
 */
export function useDialog<K extends string, R extends { kid: string }>(
  needs: Readonly<Record<K, Permission | 'signed_in'>>,
  rows: readonly R[],
): Dialogs<K, R> {
  const [search, change] = useSearch()
  const { permissions } = useSession()
  const asked = search.get('dialog')
  const kind = asked !== null && Object.hasOwn(needs, asked) ? (asked as K) : null
  const kid = search.get('of')
  const need = kind === null ? undefined : needs[kind]
  const is_permitted = need === 'signed_in' || (need !== undefined && holds(permissions, need))
  // As it was when it opened: an event that changes the row, or takes it from the list, leaves what is being typed alone.
  const [opened, setOpened] = useState<{ kind: K; row: R } | null>(null)
  const is_same = opened !== null && opened.kind === kind && opened.row.kid === kid
  const found = is_same ? undefined : rows.find((row) => row.kid === kid)
  if (kind !== null && is_permitted && found) setOpened({ kind, row: found })
  else if (opened && !is_same) setOpened(null)
  return {
    is: (one) => is_permitted && kind === one && kid === null,
    of: (one) => (is_permitted && is_same && kind === one ? opened.row : undefined),
    opened: is_permitted && is_same ? opened : null,
    open: (one, row) => change((before) => withParams(before, { dialog: one, of: row?.kid ?? null })),
    // The address without it takes its place: going back does not open it again. Another that opened meanwhile stays open.
    close: () =>
      change(
        (before) =>
          before.get('dialog') === asked && before.get('of') === kid
            ? withParams(withParamsIn(asked ?? '', before, new URLSearchParams()), { dialog: null, of: null })
            : before,
        { replace: true },
      ),
  }
}
