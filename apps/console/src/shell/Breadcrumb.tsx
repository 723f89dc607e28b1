import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useSession, isOutside } from '../session.tsx'
import { useScreen } from './place.ts'

/** Section 2: home comes first where the first part is not home; the last part is plain text. */
export function Breadcrumb() {
  const { t } = useTranslation(['shell', 'screens'])
  const session = useSession()
  const screen = useScreen()
  if (!screen) return null
  const title = t(`screens:title.${screen.title}`)
  const group = screen.group === 'static' ? undefined : t(`screens:group.${screen.group}`)
  const has_home = screen.path !== '/home/index' && !isOutside(session)
  return (
    <nav className="breadcrumb" aria-label={t('breadcrumb')}>
      <ol>
        {has_home && (
          <li>
            <Link to="/home/index">{t('screens:title.homeIndex')}</Link>
          </li>
        )}
        {/* A group named like its page would say the same twice. */}
        {group && group !== title && <li className="breadcrumb-group">{group}</li>}
        {screen.parent && (
          <li>
            <Link to={screen.parent.path}>{t(`screens:title.${screen.parent.title}`)}</Link>
          </li>
        )}
        <li aria-current="page">{title}</li>
      </ol>
    </nav>
  )
}
