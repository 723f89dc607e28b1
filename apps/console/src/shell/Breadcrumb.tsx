import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'react-router'
import { groupTitle, pages } from '@mdm/contract'
import { useTextOf } from '../i18n/use-text-of.ts'
import { useSession, isOutside } from '../core/session.tsx'
import { usePage } from '../ui/place.ts'
import { recordOf, useRecordNames } from '../ui/record.ts'

/** Section 2: home comes first where the first part is not home; the last part is plain text. */
export function Breadcrumb() {
  const { t } = useTranslation('shell')
  const textOf = useTextOf()
  const session = useSession()
  const page = usePage()
  const { search } = useLocation()
  const names = useRecordNames((s) => s.names)
  if (!page) return null
  const title = names[recordOf(page, search) ?? ''] ?? textOf(page.title)
  const parent = page.parent && pages[page.parent]
  const parent_title = parent && textOf(parent.title)
  const group = groupTitle(page)
  const group_title = group && textOf(group)
  const has_home = page.name !== 'homeIndex' && !isOutside(session)
  return (
    <nav className="breadcrumb" aria-label={t('breadcrumb')}>
      <ol>
        {has_home && (
          <li>
            <Link to={pages.homeIndex.path}>{textOf(pages.homeIndex.title)}</Link>
          </li>
        )}
        {/* A group named like its page, or like what that is part of, would say the same twice. */}
        {group_title && group_title !== title && group_title !== parent_title && (
          <li className="breadcrumb-group">{group_title}</li>
        )}
        {parent && (
          <li>
            <Link to={parent.path}>{parent_title}</Link>
          </li>
        )}
        <li aria-current="page" title={title} dir="auto">
          {title}
        </li>
      </ol>
    </nav>
  )
}
