import { useSession, useTexts, useView } from './context.ts'

/** Everything before this page is a device. */
export function Start() {
  const { phase, reason, sn, registration_code } = useView()
  const t = useTexts()
  const session = useSession()
  if (registration_code !== undefined)
    return (
      <main className="middle">
        <h1>{t.code.title}</h1>
        <p className="code">{registration_code}</p>
        <p>
          {t.code.text} <strong>{sn}</strong>
        </p>
      </main>
    )
  if (phase === 'start')
    return (
      <main className="middle">
        <Mark />
        <h1>{t.start.title}</h1>
        <p>{t.start.text}</p>
        <button type="button" onClick={() => session?.showCode()}>
          {t.start.show_code}
        </button>
      </main>
    )
  if (phase === 'refused')
    return (
      <main className="middle" role="alert">
        <h1>{t.refused.title}</h1>
        <p>{reason || t.refused.unreachable}</p>
        {reason !== '' && <p className="dim">{t.refused.hint}</p>}
        <button type="button" onClick={() => void session?.begin()}>
          {t.refused.again}
        </button>
      </main>
    )
  if (phase === 'elsewhere')
    return (
      <main className="middle">
        <h1>{t.elsewhere.title}</h1>
        <p>{t.elsewhere.text}</p>
        <button type="button" onClick={() => void session?.begin()}>
          {t.elsewhere.here}
        </button>
      </main>
    )
  if (phase === 'broken')
    return (
      <main className="middle" role="alert">
        <h1>{t.broken.title}</h1>
        <p>{t.broken.text}</p>
      </main>
    )
  return (
    <main className="middle">
      <Mark />
      <p role="status">{phase === 'joining' ? t.joining : t.loading}</p>
    </main>
  )
}

const Mark = () => <img className="mark" src="/terminal/icon.svg" alt="" width="72" height="72" />
