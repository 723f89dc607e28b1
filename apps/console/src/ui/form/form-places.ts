import { useEffect } from 'react'
import { useLocation } from 'react-router'

const paths = new Set<string>()
/** Whether a form was seen at this path: once it is left there is nothing to come back to. */
export const isFormPlace = (path: string): boolean => paths.has(path)

/** The page is a form, or a wizard, whose draft ends with it. */
export function useFormPlace(): void {
  const { pathname } = useLocation()
  useEffect(() => void paths.add(pathname), [pathname])
}
