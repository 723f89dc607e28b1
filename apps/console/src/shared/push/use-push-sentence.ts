import { pushSentence } from '@mdm/contract'
import type { PushFacts } from '@mdm/contract'
import { useSessionStore } from '../../core/session-store.ts'
import { useZone } from '../../core/session.tsx'

/** What a push does, to whom and when, in the reader's language and time zone. */
export function usePushSentence(): (facts: PushFacts) => string {
  const language = useSessionStore((s) => s.language)
  const zone = useZone()
  return (facts) => pushSentence(facts, { language, zone })
}
