import { useTranslation } from 'react-i18next'
import { navigateTo } from '../core/navigation.ts'
import { dismiss, useNotices } from '../core/notices.ts'
import type { NoticeLink } from '../core/notices.ts'

/** What happened, at the lower edge of the page. A failure stays until dismissed. */
export function Notices() {
  const { t } = useTranslation('common')
  const notices = useNotices((s) => s.notices)
  return (
    <div className="notices" aria-live="polite">
      {notices.map(({ id, tone, text, link }) => (
        <div key={id} className="notice" data-tone={tone} role={tone === 'fail' ? 'alert' : 'status'}>
          <p>
            {text}
            {link && <LinkOf link={link} onFollow={() => dismiss(id)} />}
          </p>
          <button type="button" className="icon-button" aria-label={t('close')} onClick={() => dismiss(id)}>
            ✕
          </button>
        </div>
      ))}
    </div>
  )
}

/** Notices stand outside of the router. */
function LinkOf({ link, onFollow }: { link: NoticeLink; onFollow: () => void }) {
  return (
    <a
      href={link.to}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return
        event.preventDefault()
        onFollow()
        void navigateTo(link.to)
      }}
    >
      {link.text}
    </a>
  )
}
