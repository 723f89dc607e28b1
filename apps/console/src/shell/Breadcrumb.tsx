import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'react-router'
import { useSession, isOutside } from '../session.tsx'
import { useScreen } from '../screen/place.ts'
import { recordOf, useRecordNames } from '../screen/record.ts'

/** Section 2: home comes first where the first part is not home; the last part is plain text. */
export function Breadcrumb() {
  const { t } = useTranslation(['shell', 'screens'])
  const session = useSession()
  const screen = useScreen()
  const { search } = useLocation()
  const names = useRecordNames((s) => s.names)
  if (!screen) return null
  const title = names[recordOf(screen, search) ?? ''] ?? t(`screens:title.${screen.title}`)
  const parent = screen.parent && t(`screens:title.${screen.parent.title}`)
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
        {/* A group named like its page, or like what that is part of, would say the same twice. */}
        {group && group !== title && group !== parent && <li className="breadcrumb-group">{group}</li>}
        {screen.parent && (
          <li>
            <Link to={screen.parent.path}>{parent}</Link>
          </li>
        )}
        <li aria-current="page" title={title}>
          {title}
        </li>
      </ol>
    </nav>
  )
}
