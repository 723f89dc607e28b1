import { useCallback, useEffect, useRef } from 'react'
import { useBlocker, useLocation } from 'react-router'
import { useTranslation } from 'react-i18next'
import { forgetAsked } from '../../core/address.ts'
import { useQuestion } from '../dialog/question.ts'

/**
 * Asks before changes are lost: on leaving the page, on closing the tab, and, through the function it returns, on
 * closing a drawer or dialog.
 */
export function useUnsavedGuard(is_dirty: boolean): (leave: () => void) => void {
  const { t } = useTranslation('common')
  const ask = useQuestion((s) => s.ask)
  const { search } = useLocation()
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

  // Agreed to already: what closes then may change the address.
  const is_leaving = useRef(false)
  // Filters and tabs of the same page change the query only; nothing is lost by that, unless the drawer itself is in it.
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      is_dirty &&
      !is_leaving.current &&
      (currentLocation.pathname !== nextLocation.pathname ||
        dialogIn(currentLocation.search) !== dialogIn(nextLocation.search)),
  )
  const blocked = useRef(blocker)
  useEffect(() => {
    blocked.current = blocker
  })
  useEffect(() => {
    if (blocker.state !== 'blocked') return
    forgetAsked(search)
    void question().then((is_yes) => (is_yes ? blocked.current.proceed?.() : blocked.current.reset?.()))
    // The blocker and not its state: a second attempt may follow the first before the state between them was drawn.
  }, [blocker, question, search])

  useEffect(() => {
    if (!is_dirty) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [is_dirty])

  return useCallback(
    (leave: () => void) => {
      if (!is_dirty) leave()
      else
        void question().then((is_yes) => {
          if (!is_yes) return
          is_leaving.current = true
          leave()
        })
    },
    [is_dirty, question],
  )
}

const dialogIn = (search: string): string => {
  const held = new URLSearchParams(search)
  return `${held.get('dialog') ?? ''} ${held.get('of') ?? ''}`
}
