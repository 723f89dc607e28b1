import { CallFailed } from '../core/call-failed.ts'
import { useTranslation } from 'react-i18next'

/** A failed call, where its result would be: what the server said and a way to try again. */
export function Failure({ error, retry, is_line }: { error: Error; retry?: () => unknown; is_line?: boolean }) {
  const { t } = useTranslation('common')
  if (error instanceof CallFailed && error.is_silent) return null
  // To ask again would be refused again.
  const is_broken_link = error instanceof CallFailed && error.is_broken_link
  return (
    <div className={is_line ? 'failure is-line' : 'failure'} role="alert">
      <span className="failure-mark" aria-hidden>
        !
      </span>
      <div>
        <p>{is_broken_link ? t('broken_link') : error.message}</p>
        {retry && !is_broken_link && (
          <button type="button" className="link" onClick={() => retry()}>
            {t('try_again')}
          </button>
        )}
      </div>
    </div>
  )
}
