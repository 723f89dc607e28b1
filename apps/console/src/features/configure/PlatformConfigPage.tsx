import { Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { pages } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { ConfigSections } from './edit/ConfigSections.tsx'
import { Versions } from './edit/Versions.tsx'
import { AddressTabs } from '../../ui/AddressTabs.tsx'
import { Failure } from '../../ui/Failure.tsx'
import { pageIcon } from '../../ui/icons.tsx'
import { PageHead } from '../../ui/PageHead.tsx'
import { useCount } from '../../ui/value/format.ts'

const tabs = ['sections', 'versions'] as const

/** What holds for devices of all accounts where no account, group or device says otherwise. */
export default function PlatformConfigPage() {
  const { t } = useTranslation('configure/edit')
  const textOf = useTextOf()
  const count = useCount()
  const query = useCall(api.opsTerminalConfig.get_config, {})
  const [search] = useSearchParams()
  const tab = tabs.find((each) => each === search.get('tab')) ?? 'sections'
  const { data } = query
  return (
    <section className="list-page">
      <PageHead title={textOf(pages.platformConfig.title)} icon={pageIcon('platformConfig')} />
      <AddressTabs label={t('tabs')} tabs={tabs.map((value) => ({ value, label: t(`level_tab.${value}`) }))} />
      {tab === 'versions' && <Versions is_platform />}
      {tab === 'sections' && query.isPending && <Skeleton active title={false} paragraph={{ rows: 12 }} />}
      {tab === 'sections' && query.error && <Failure error={query.error} retry={query.refetch} />}
      {tab === 'sections' && data && (
        <>
          <p className="config-note">{t('platform_hint', { count: data.devices, shown: count(data.devices) })}</p>
          <ConfigSections current={data as never} edit="platformConfig:edit" />
        </>
      )}
    </section>
  )
}
