import { useTranslation } from 'react-i18next'
import { NavLink, Outlet } from 'react-router'
import { informationLists, pageList } from '@mdm/contract'
import { may, useSession } from '../../core/session.tsx'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { pageIcon } from '../../ui/icons.tsx'
import { PageHead } from '../../ui/PageHead.tsx'

const paths = new Set(Object.values(informationLists).map(({ path }) => `/information-list/${path}`))
const lists = pageList.filter(({ path }) => paths.has(path))

/** Around the lists that a UID is made of: a tab for each. */
export default function InformationLists() {
  const { t } = useTranslation(['os-information', 'common'])
  const textOf = useTextOf()
  useSession()
  return (
    <section className="detail-page">
      <PageHead title={t('title')} icon={pageIcon('informationListClientCode')} />
      <nav className="tabs" aria-label={t('common:tabs')}>
        {lists
          .filter(({ needs }) => needs !== 'public' && needs !== 'signed_in' && may(needs))
          .map(({ path, title }) => (
            <NavLink key={path} to={path}>
              {textOf(title)}
            </NavLink>
          ))}
      </nav>
      <div className="detail-body">
        <Outlet />
      </div>
    </section>
  )
}
