import { UserOutlined } from '@ant-design/icons'
import { Skeleton } from 'antd'
import type { ComponentType } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useSearchParams } from 'react-router'
import type { Out } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { Failure } from '../../ui/Failure.tsx'
import { PageHead } from '../../ui/PageHead.tsx'
import './account-info.css'
import { ApiTokens } from './tokens/ApiTokens.tsx'
import { Details } from './Details.tsx'
import { Preferences } from './Preferences.tsx'
import { Reports } from './reports/Reports.tsx'
import { Security } from './security/Security.tsx'
import { Sessions } from './Sessions.tsx'
import { link } from '../../core/links.ts'

export type Info = Out<typeof api.account.info>

const parts = {
  details: Details,
  security: Security,
  sessions: Sessions,
  tokens: ApiTokens,
  reports: Reports,
  preferences: Preferences,
} satisfies Record<string, ComponentType<{ info: Info }>>
type PartName = keyof typeof parts
const names = Object.keys(parts) as PartName[]

/** What a person may see and change of themselves. The open part is in the address. */
export default function AccountInfoPage() {
  const { t } = useTranslation(['account-info', 'common'])
  const [search] = useSearchParams()
  const query = useCall(api.account.info, {})
  const open = names.find((name) => name === search.get('part')) ?? 'details'
  const Part = parts[open]
  return (
    <section className="detail-page">
      <PageHead
        title={t('title')}
        icon={<UserOutlined aria-hidden />}
        aside={<span className="dim">{query.data?.name || query.data?.username}</span>}
      />
      <nav className="tabs" aria-label={t('common:tabs')}>
        {names.map((name) => (
          <Link
            key={name}
            to={link.accountIndex.to(name === 'details' ? {} : { part: name })}
            className={name === open ? 'active' : undefined}
            aria-current={name === open ? 'page' : undefined}
          >
            {t(`part.${name}`)}
          </Link>
        ))}
      </nav>
      <div className="detail-body">
        {query.error ? (
          <Failure error={query.error} retry={query.refetch} />
        ) : query.data ? (
          <Part info={query.data} />
        ) : (
          <Skeleton active />
        )}
      </div>
    </section>
  )
}
