import { useCallback } from 'react'
import type { Text } from '@mdm/contract'
import { useSessionStore } from '../core/session-store.ts'

/** A text of the contract (a page's title, a menu entry's name) in the language of the person. */
export function useTextOf(): (text: Text) => string {
  const language = useSessionStore((s) => s.language)
  return useCallback((text: Text) => text[language], [language])
}
