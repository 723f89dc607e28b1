import { useMemo } from 'react'
import { useSession } from '../core/session.tsx'
import { useSessionStore } from '../core/session-store.ts'
import { useMenu } from '../core/start.ts'
import { menuOf } from './menu.ts'
import type { MenuModule } from './menu.ts'

export function useMenuModules(): MenuModule[] {
  const session = useSession()
  const language = useSessionStore((s) => s.language)
  const nodes = useMenu((s) => s.nodes)
  return useMemo(() => menuOf(nodes, session, language), [nodes, session, language])
}
