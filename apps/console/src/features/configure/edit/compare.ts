import { lazy } from 'react'

/** Loaded when it opens. */
export const CompareDrawer = lazy(() => import('./CompareDrawer.tsx'))
