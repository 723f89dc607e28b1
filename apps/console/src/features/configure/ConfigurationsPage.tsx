import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import { pages } from '@mdm/contract'
import { Button } from 'antd'
import { link } from '../../core/links.ts'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { AddressTabs } from '../../ui/AddressTabs.tsx'
import { pageIcon } from '../../ui/icons.tsx'
import { PageHead } from '../../ui/PageHead.tsx'
import { Versions } from './edit/Versions.tsx'
import { Configurations } from './Configurations.tsx'
import { LevelChoice } from './LevelChoice.tsx'

const Drift = lazy(() => import('./Drift.tsx').then((m) => ({ default: m.Drift })))
const Statistics = lazy(() => import('./Statistics.tsx').then((m) => ({ default: m.Statistics })))

const Profiles = lazy(() => import('./Profiles.tsx').then((m) => ({ default: m.Profiles })))

const tabs = ['configurations', 'profiles', 'changes', 'drift', 'statistics'] as const

/** What is configured where, how far devices are with what changed, and which of them differ. */
export default function ConfigurationsPage() {
  const { t } = useTranslation('configure/edit')
  const textOf = useTextOf()
  const navigate = useNavigate()
  const [search] = useSearchParams()
  const tab = tabs.find((each) => each === search.get('tab')) ?? 'configurations'
  return (
    <section className="list-page">
      <PageHead title={textOf(pages.configurePushList.title)} icon={pageIcon('configurePushList')}>
        <LevelChoice />
        <Button type="primary" onClick={() => void navigate(link.configureLevel.to({ kid: 'account' }))}>
          {t('configure_account')}
        </Button>
      </PageHead>
      <AddressTabs label={t('tabs')} tabs={tabs.map((value) => ({ value, label: t(`tab.${value}`) }))} />
      <Suspense>
        {tab === 'configurations' && <Configurations />}
        {tab === 'profiles' && <Profiles />}
        {tab === 'changes' && <Versions />}
        {tab === 'drift' && <Drift />}
        {tab === 'statistics' && <Statistics />}
      </Suspense>
    </section>
  )
}
