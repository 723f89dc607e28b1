import { lazy, Suspense, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useJump } from './jump.ts'

const JumpDialog = lazy(() => import('./JumpDialog.tsx'))

/** Ctrl K (or Cmd K) from anywhere. */
export function JumpTo() {
  const is_open = useJump(({ is_open }) => is_open)
  const open = useJump(({ open }) => open)
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      open()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [open])
  return is_open ? (
    <Suspense fallback={<EarlyField />}>
      <JumpDialog />
    </Suspense>
  ) : null
}

/** Takes what is typed until the dialog has been loaded: nobody waits between Ctrl K and the first letter. */
function EarlyField() {
  const { t } = useTranslation('shell')
  const { typed, type, enter, close } = useJump()
  return (
    <input
      autoFocus
      className="visually-hidden"
      aria-label={t('jump')}
      value={typed}
      maxLength={100}
      onChange={(event) => type(event.target.value)}
      onKeyDown={({ key }) => {
        if (key === 'Enter') enter()
        if (key === 'Escape') close()
      }}
    />
  )
}
