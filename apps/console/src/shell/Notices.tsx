import { useTranslation } from 'react-i18next'
import { dismiss, useNotices } from '../core/notices.ts'

/** What happened, above the middle of the page. A failure stays until dismissed. */
export function Notices() {
  const { t } = useTranslation('common')
  const notices = useNotices((s) => s.notices)
  return (
    <div className="notices" aria-live="polite">
      {notices.map(({ id, tone, text }) => (
        <div key={id} className="notice" data-tone={tone} role={tone === 'fail' ? 'alert' : 'status'}>
          <p>{text}</p>
          <button type="button" className="icon-button" aria-label={t('close')} onClick={() => dismiss(id)}>
            ✕
          </button>
        </div>
      ))}
    </div>
  )
}
