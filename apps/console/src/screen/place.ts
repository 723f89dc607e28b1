import { useMatches } from 'react-router'
import type { AnyScreen } from './screen.ts'

/** The screen that is open. */
export function useScreen(): AnyScreen | undefined {
  const handles = useMatches().map((match) => match.handle as AnyScreen | undefined)
  return handles.findLast((handle) => handle?.path !== undefined)
}
