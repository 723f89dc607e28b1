import { useEffect } from 'react'
import { useLanguage, useSession, useTexts, useView } from './context.ts'
import { Device } from './Device.tsx'
import { Kiosk } from './Kiosk.tsx'
import { Notices } from './Notices.tsx'
import { Start } from './Start.tsx'

export function App() {
  const { phase, is_ringing, settings, registration_code } = useView()
  const language = useLanguage()
  const t = useTexts()
  const session = useSession()
  useEffect(() => {
    document.documentElement.lang = language
    document.title = is_ringing ? t.ringing : t.title
  }, [language, is_ringing, t])
  const is_device = phase === 'running' && registration_code === undefined
  return (
    <div className={is_ringing ? 'app ringing' : 'app'} onClickCapture={() => session?.touch()}>
      {is_ringing && (
        <p className="ring" role="alert">
          {t.ringing}
        </p>
      )}
      {!is_device ? <Start /> : settings.is_kiosk ? <Kiosk /> : <Device />}
      <Notices />
    </div>
  )
}
