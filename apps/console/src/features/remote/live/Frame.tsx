import { useEffect, useImperativeHandle, useRef } from 'react'
import type { ReactNode, Ref } from 'react'
import { useLostFocus } from './use-lost-focus.ts'

/** Around a session: as high as the window lets it be, and all of it in sight when it opens. */
export function Frame({ ref, children }: { ref?: Ref<HTMLDivElement>; children: ReactNode }) {
  const own = useRef<HTMLDivElement>(null)
  useImperativeHandle(ref, () => own.current!)
  useLostFocus(own)
  useEffect(() => {
    // Newer browsers answer with a promise, which is nothing that an effect may return.
    void own.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  return (
    <div className="remote-frame" ref={own} tabIndex={-1}>
      {children}
    </div>
  )
}
