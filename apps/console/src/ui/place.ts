import { useMatches } from 'react-router'
import type { Page } from '@mdm/contract'

/** The page that is open. */
export function usePage(): Page | undefined {
  const handles = useMatches().map((match) => match.handle as Page | undefined)
  return handles.findLast((handle) => handle?.path !== undefined)
}
