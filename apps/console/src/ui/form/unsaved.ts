import { useCallback, useEffect, useRef } from 'react'
import { useBlocker } from 'react-router'
import { useTranslation } from 'react-i18next'
import { useQuestion } from '../dialog/question.ts'

/**
 * Asks before changes are lost: on leaving the page, on closing the tab, and, through the function it returns, on
 * closing a drawer or dialog.
 */
export function useUnsavedGuard(is_dirty: boolean): (leave: () => void) => void {
  const { t } = useTranslation('common')
  const ask = useQuestion((s) => s.ask)
  const question = useCallback(
    () =>
      ask({
        title: t('unsaved.title'),
        text: t('unsaved.text'),
        yes: t('unsaved.leave'),
        no: t('unsaved.stay'),
        is_danger: true,
      }),
    [ask, t],
  )

  // Filters and tabs of the same page change the query only; nothing is lost by that.
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => is_dirty && currentLocation.pathname !== nextLocation.pathname,
  )
  const blocked = useRef(blocker)
  useEffect(() => {
    blocked.current = blocker
  })
  useEffect(() => {
    if (blocker.state !== 'blocked') return
    void question().then((is_yes) => (is_yes ? blocked.current.proceed?.() : blocked.current.reset?.()))
    // The blocker and not its state: a second attempt may follow the first before the state between them was drawn.
  }, [blocker, question])

  useEffect(() => {
    if (!is_dirty) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [is_dirty])

  return useCallback(
    (leave: () => void) => {
      if (!is_dirty) leave()
      else void question().then((is_yes) => is_yes && leave())
    },
    [is_dirty, question],
  )
}
