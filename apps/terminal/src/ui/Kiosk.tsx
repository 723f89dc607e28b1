import { useEffect, useState } from 'react'
import { useTexts, useView } from './context.ts'
import { Device } from './Device.tsx'

/** The start page alone, or the device itself where there is none, in full screen once somebody has touched it. */
export function Kiosk() {
  const { settings } = useView()
  const t = useTexts()
  const [is_full, setFull] = useState(false)
  const [is_leaving, setLeaving] = useState(false)
  useEffect(() => {
    const look = () => setFull(document.fullscreenElement !== null)
    look()
    document.addEventListener('fullscreenchange', look)
    return () => document.removeEventListener('fullscreenchange', look)
  }, [])
  return (
    <div className="kiosk">
      {settings.start_page === '' ? (
        <Device />
      ) : (
        <iframe
          src={settings.start_page}
          title={settings.start_page}
          sandbox={sandboxOf(settings.start_page)}
          referrerPolicy="no-referrer"
        />
      )}
      {!is_full && document.fullscreenEnabled && !is_leaving && (
        <button
          type="button"
          className="cover"
          onClick={() => void document.documentElement.requestFullscreen().catch(() => undefined)}
        >
          {t.kiosk.begin}
        </button>
      )}
      {is_full && (
        <button type="button" className="corner" aria-label={t.kiosk.leave} onClick={() => setLeaving(true)}>
          ×
        </button>
      )}
      {is_leaving && <Exit password={settings.exit_password} onOver={() => setLeaving(false)} />}
    </div>
  )
}

/** A page of this very site gets no rights of this site. */
const sandboxOf = (address: string): string =>
  new URL(address).origin === location.origin
    ? 'allow-scripts allow-forms'
    : 'allow-scripts allow-forms allow-same-origin'

function Exit({ password, onOver }: { password: string; onOver: () => void }) {
  const t = useTexts()
  const [typed, setTyped] = useState('')
  const [is_wrong, setWrong] = useState(false)
  const leave = () => {
    if (typed !== password) return setWrong(true)
    void document.exitFullscreen().catch(() => undefined)
    onOver()
  }
  return (
    <form
      className="exit"
      onSubmit={(event) => {
        event.preventDefault()
        leave()
      }}
    >
      {password !== '' && (
        <label>
          {t.kiosk.password}
          <input type="password" autoComplete="off" value={typed} onChange={({ target }) => setTyped(target.value)} />
        </label>
      )}
      {is_wrong && <p role="alert">{t.kiosk.wrong}</p>}
      <p className="buttons">
        <button type="submit">{t.kiosk.leave}</button>
        <button type="button" className="quiet" onClick={onOver}>
          {t.kiosk.cancel}
        </button>
      </p>
    </form>
  )
}
