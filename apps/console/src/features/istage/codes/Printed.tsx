import type { ReactNode } from 'react'
import { createPortal } from 'react-dom'

export type PrintLayout = 'sequence' | '6' | '12' | '24'

/** What stands on paper and not on the screen. */
export const Printed = ({ layout, children }: { layout: PrintLayout; children: ReactNode }) =>
  createPortal(
    <div className="staging-print" data-layout={layout}>
      {children}
    </div>,
    document.body,
  )
