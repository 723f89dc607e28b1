import { lazy, Suspense, useEffect } from 'react'
import { useJump } from './jump.ts'

const JumpDialog = lazy(() => import('./JumpDialog.tsx'))

/** Ctrl K (or Cmd K) from anywhere. */
export function JumpTo() {
  const { is_open, open } = useJump()
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
    <Suspense>
      <JumpDialog />
    </Suspense>
  ) : null
}
