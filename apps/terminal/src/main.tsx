import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { openSession } from './session.ts'
import type { Session } from './session.ts'
import { App } from './ui/App.tsx'
import { PartsContext } from './ui/context.ts'
import { openView } from './view.ts'
import './styles.css'

const view = openView()
const root = createRoot(document.getElementById('root')!)
const draw = (session?: Session) =>
  root.render(
    <StrictMode>
      <PartsContext value={{ view, session }}>
        <App />
      </PartsContext>
    </StrictMode>,
  )

draw()
openSession(view).then(
  (session) => {
    draw(session)
    return session.begin()
  },
  (error: unknown) => {
    console.error(error)
    view.set({ phase: 'broken' })
  },
)
// Pages that came without TLS have none.
if ('serviceWorker' in navigator && import.meta.env.PROD)
  navigator.serviceWorker.register('/terminal/sw.js', { scope: '/terminal/' }).catch((error) => console.warn(error))
