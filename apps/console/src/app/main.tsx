import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router'
import { loadBaseUrl } from '../core/base-url.ts'
import { watchEnter } from '../core/enter-key.ts'
import { fontLoaded } from '../core/font.ts'
import { watchParts } from '../core/part-missing.ts'
import { startTexts } from '../i18n/i18n.ts'
import { notify } from '../core/notices.ts'
import { queryClient } from '../core/queries.ts'
import { startRouter } from './router.tsx'
import { useSessionStore } from '../core/session-store.ts'
import { Notices } from '../shell/Notices.tsx'
import './styles.css'
import { applyLook, onSystemShade } from '../core/theme.ts'

const applyPreferences = () => {
  const { theme, density } = useSessionStore.getState()
  applyLook(theme, density)
}
applyPreferences()
onSystemShade(applyPreferences)
useSessionStore.subscribe(applyPreferences)

watchParts()
watchEnter()
// A catalogue that cannot be loaded leaves keys on the screen, which is still better than no console.
await Promise.all([startTexts().catch(notify.fail), fontLoaded(), loadBaseUrl()])

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={startRouter()} />
      <Notices />
    </QueryClientProvider>
  </StrictMode>,
)
