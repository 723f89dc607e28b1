import { useTranslation } from 'react-i18next'
import { api, useCall } from '../../../core/api.ts'
import { DateTime } from '../../../ui/value/values.tsx'
import { useDevice } from '../use-device.ts'

/** What the device said lately and the server did not take over: for whoever wonders where it is. Mostly there is none. */
export function RefusedReports() {
  const { t } = useTranslation('device-detail')
  const { kid } = useDevice()
  const { data } = useCall(api.terminal.list_refusal, { terminal_kid: kid }, { enabled: kid !== '' })
  if (!data || data.length === 0) return null
  return (
    <section className="part refusals" aria-label={t('refusal.title')}>
      <h2>{t('refusal.title')}</h2>
      <p className="dim">{t('refusal.hint')}</p>
      <ul>
        {data.map((row) => (
          <li key={row.kid}>
            <DateTime at={row.at} /> {t(`refusal.name.${row.name}`)}
            {row.is_whole && <span className="warn"> {t('refusal.whole')}</span>}
            {row.parts.map(({ path, reason, message }) => (
              <div key={path} className="dim" title={message}>
                {path && <code dir="ltr">{path} </code>}
                {t(`refusal.reason.${reason}`)}
              </div>
            ))}
          </li>
        ))}
      </ul>
    </section>
  )
}
