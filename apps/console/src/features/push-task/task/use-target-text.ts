import { pushTargetText } from '@mdm/contract'
import type { PushTarget } from '@mdm/contract'
import { useSessionStore } from '../../../core/session-store.ts'
import { useZone } from '../../../core/session.tsx'

/** Whom a push is for, in words; undefined where nobody said it. */
export function useTargetText(): (target: PushTarget | null) => string | undefined {
  const language = useSessionStore((s) => s.language)
  const zone = useZone()
  return (target) => {
    const text = pushTargetText(target, { language, zone })
    // Names of devices stay as they are.
    return text && target?.kind !== 'named' ? text[0]!.toUpperCase() + text.slice(1) : text
  }
}
