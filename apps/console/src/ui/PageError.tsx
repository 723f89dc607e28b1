import { useTranslation } from 'react-i18next'
import { useRevalidator, useRouteError } from 'react-router'
import { useEffect } from 'react'
import { CallFailed } from '../core/call-failed.ts'
import { isPartMissing, reloadWhenBack } from '../core/part-missing.ts'

export const Mark = () => (
  <span className="mark" aria-hidden>
    {Array.from({ length: 9 }, (_, dot) => (
      <i key={dot} />
    ))}
  </span>
)

export function Loading() {
  const { t } = useTranslation('common')
  return (
    <div className="splash" role="status" aria-label={t('loading')}>
      <Mark />
    </div>
  )
}

/** The last boundary: a page that threw, a chunk that did not load, a server that is away at the start. */
export function PageError() {
  const { t } = useTranslation('common')
  const error = useRouteError()
  const { revalidate } = useRevalidator()
  const is_call = error instanceof CallFailed
  const is_part = isPartMissing(error)
  useEffect(() => (is_part ? reloadWhenBack() : undefined), [is_part])
  if (!is_call) console.error(error)
  const text = is_call ? error.message : is_part ? t('failed.chunk') : error instanceof Error ? error.message : ''
  return (
    <div className="splash" role="alert">
      <div style={{ maxWidth: 460, textAlign: 'center' }}>
        <Mark />
        <h1 style={{ margin: '16px 0 6px', fontSize: 17 }}>{t('failed.page')}</h1>
        <p className="dim">{text}</p>
        <p style={{ marginTop: 12 }}>
          <button
            type="button"
            className="link"
            onClick={() => (is_call ? void revalidate() : globalThis.location.reload())}
          >
            {t('try_again')}
          </button>
        </p>
      </div>
    </div>
  )
}
