import { Navigate, useLocation } from 'react-router'
import { safePath } from '../../core/navigation.ts'

/** /redirect/{path}: mounts a screen afresh. Never leaves the site. */
export default function RedirectPage() {
  const { pathname, search } = useLocation()
  return <Navigate replace to={safePath(pathname.slice('/redirect'.length) + search)} />
}
