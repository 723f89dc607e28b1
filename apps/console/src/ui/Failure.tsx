import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { pages } from '@mdm/contract'
import { CallFailed } from '../core/call-failed.ts'
import { useTextOf } from '../i18n/use-text-of.ts'
import { usePage } from './place.ts'

type Props = { error: Error; retry?: () => unknown; is_line?: boolean }
/** A failed call, where its result would be: what the server said, and a way to try again where that may help. */
export function Failure({ error, retry, is_line }: Props) {
  const { t } = useTranslation('common')
  const call = error instanceof CallFailed ? error : undefined
  if (call?.is_silent) return null
  // To ask again would be refused again.
  const is_final = call !== undefined && (call.is_broken_link || call.is_gone)
  return (
    <div className={is_line ? 'failure is-line' : 'failure'} role="alert">
      <span className="failure-mark" aria-hidden>
        !
      </span>
      <div>
        <p>{call?.is_broken_link ? t('broken_link') : error.message}</p>
        {retry && !is_final && (
          <button type="button" className="link" onClick={() => retry()}>
            {t('try_again')}
          </button>
        )}
        {is_final && !is_line && <BackToList />}
      </div>
    </div>
  )
}

/** To the list that the open page is of a row of. */
function BackToList() {
  const { t } = useTranslation('common')
  const textOf = useTextOf()
  const parent = usePage()?.parent
  if (!parent) return null
  return <Link to={pages[parent].path}>{t('back_to_list', { page: textOf(pages[parent].title) })}</Link>
}
