import { useSession, useTexts, useView } from './context.ts'
import { useInstall } from './install.ts'
import { Section } from './Section.tsx'

/** What goes to the server, and what whoever holds the device has to allow first. */
export function Share() {
  const { location, is_audible } = useView()
  const t = useTexts()
  const session = useSession()
  const install = useInstall()
  const is_shared = location === 'on' || location === 'asked'
  return (
    <Section title={t.shares.title}>
      <p className="dim">{t.shares.always}</p>
      <ul>
        <li>
          <div>
            <strong>{t.shares.location}</strong>
            <p>{t.shares.why}</p>
            <p className="dim">{t.shares[location]}</p>
          </div>
          {location !== 'no_tls' && location !== 'absent' && (
            <button type="button" onClick={() => void session?.shareLocation(!is_shared)}>
              {is_shared ? t.shares.stop : t.shares.share}
            </button>
          )}
        </li>
        <li>
          <div>
            <strong>{t.sound.title}</strong>
            <p className="dim">{t.sound.why}</p>
          </div>
          {/* It keeps its place: any touch allows it. */}
          <button type="button" disabled={is_audible} onClick={() => session?.touch()}>
            {is_audible ? t.sound.on : t.sound.allow}
          </button>
        </li>
      </ul>
      {install && (
        <button type="button" onClick={install}>
          {t.install}
        </button>
      )}
    </Section>
  )
}
