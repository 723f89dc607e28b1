import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { api, useCall } from '../../../core/api.ts'
import { AddressTabs } from '../../../ui/AddressTabs.tsx'
import { DetailPage } from '../../../ui/DetailPage.tsx'
import { pageIcon } from '../../../ui/icons.tsx'
import { StagingCodes } from './StagingCodes.tsx'
import { StagingScans } from './StagingScans.tsx'

/** A configuration as codes, and the devices that took it. */
export default function CodesPage() {
  const { t } = useTranslation('istage/codes')
  const [search] = useSearchParams()
  const kid = search.get('kid') ?? ''
  const query = useCall(api.istageCode.get, { kid })
  const config = query.data
  const tabs = (['codes', 'scans'] as const).map((value) => ({ value, label: t(`tab.${value}`) }))
  return (
    <DetailPage
      title={config?.name ?? ''}
      icon={pageIcon('istageListIstageConfig')}
      note={config?.status === 'incomplete' ? t('incomplete') : undefined}
      properties={[
        { label: t('version'), value: config?.version },
        { label: t('description'), value: config?.description },
      ]}
      loading={query.isPending}
      error={query.error}
      retry={query.refetch}
    >
      {config && (
        <>
          <AddressTabs label={t('sections')} tabs={tabs} keeps={['kid']} />
          {search.get('tab') === 'scans' ? (
            <StagingScans of={config} />
          ) : config.status === 'completed' ? (
            <StagingCodes key={config.kid} {...config} />
          ) : null}
        </>
      )}
    </DetailPage>
  )
}
