import { useState } from 'react'
import { useLanguage, useSession, useTexts, useView } from './context.ts'
import { bytesText, timeText } from './format.ts'
import { saveFile } from './save.ts'
import { Section } from './Section.tsx'
import { Share } from './Share.tsx'

/** The device, for whoever holds it. */
export function Device() {
  const { sn, model, settings, link, battery, network } = useView()
  const t = useTexts()
  const name = settings.name || model
  const charging = battery && battery.charging !== 'discharging' && battery.charging !== 'low'
  const networks: Record<string, string> = t.network
  return (
    <main className="device">
      <header>
        <h1>{name}</h1>
        <p className="dim">{sn}</p>
        <p className={`link ${link === 'online' ? 'on' : ''}`} role="status">
          {t.link[link]}
        </p>
      </header>
      <dl className="facts">
        <div>
          <dt>{t.battery.title}</dt>
          <dd>
            {battery ? `${battery.level} %${charging ? `, ${t.battery.charging}` : ''}` : t.battery.unknown}
            {battery && <meter min="0" max="100" low={16} value={battery.level} aria-label={t.battery.title} />}
          </dd>
        </div>
        <div>
          <dt>{t.network.title}</dt>
          <dd>{networks[network ?? 'unknown']}</dd>
        </div>
      </dl>
      <Messages />
      <Files />
      <Share />
      <Leave />
    </main>
  )
}

function Messages() {
  const { messages } = useView()
  const t = useTexts()
  const language = useLanguage()
  const session = useSession()
  const read = messages.filter(({ is_read }) => is_read)
  return (
    <Section title={t.messages.title}>
      {read.length === 0 && <p className="dim">{t.messages.none}</p>}
      <ul>
        {read.slice(0, 5).map(({ id, title, text, at }) => (
          <li key={id}>
            <div>
              <strong>{title}</strong>
              <p>{text}</p>
              <time className="dim" dateTime={at}>
                {timeText(at, language)}
              </time>
            </div>
            <button type="button" className="quiet" onClick={() => session?.forgetMessage(id)}>
              {t.messages.forget}
            </button>
          </li>
        ))}
      </ul>
    </Section>
  )
}

function Files() {
  const { files } = useView()
  const t = useTexts()
  const language = useLanguage()
  const session = useSession()
  return (
    <Section title={t.files.title}>
      {files.length === 0 && <p className="dim">{t.files.none}</p>}
      <ul>
        {files.map((file) => (
          <li key={file.place}>
            <div>
              <strong>{file.name}</strong>
              <p className="dim">
                {bytesText(file.size, language)}, {timeText(file.at, language)}
              </p>
            </div>
            <button type="button" onClick={() => saveFile(file)}>
              {t.files.save}
            </button>
            <button type="button" className="quiet" onClick={() => session?.removeFile(file.place)}>
              {t.files.remove}
            </button>
          </li>
        ))}
      </ul>
    </Section>
  )
}

function Leave() {
  const t = useTexts()
  const session = useSession()
  const [is_asked, setAsked] = useState(false)
  if (!is_asked)
    return (
      <button type="button" className="quiet leave" onClick={() => setAsked(true)}>
        {t.leave.open}
      </button>
    )
  return (
    <section role="alertdialog" aria-label={t.leave.title}>
      <h2>{t.leave.title}</h2>
      <p>{t.leave.text}</p>
      <p className="buttons">
        <button type="button" className="danger" onClick={() => void session?.forget()}>
          {t.leave.yes}
        </button>
        <button type="button" onClick={() => setAsked(false)}>
          {t.leave.no}
        </button>
      </p>
    </section>
  )
}
