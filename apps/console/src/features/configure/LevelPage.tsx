import { CopyOutlined } from '@ant-design/icons'
import { Button, Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { configSectionKeys, ltscopes } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { May } from '../../core/session.tsx'
import { ConfigSections } from './edit/ConfigSections.tsx'
import { CopyDrawer } from './edit/CopyDrawer.tsx'
import { Versions } from './edit/Versions.tsx'
import { AddressTabs } from '../../ui/AddressTabs.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import { Failure } from '../../ui/Failure.tsx'
import { pageIcon } from '../../ui/icons.tsx'
import { PageHead } from '../../ui/PageHead.tsx'
import { useRecordName } from '../../ui/record.ts'
import { LevelState } from './LevelState.tsx'

const tabs = ['sections', 'versions'] as const
const dialogs = { copy: 'deviceDetailConfig:edit' } as const

/** The configuration of the account (`kid=account`) or of a group: what holds there, and its versions. */
export default function LevelPage() {
  const { t } = useTranslation(['configure/edit', 'configure'])
  const [search] = useSearchParams()
  const kid = search.get('kid') ?? 'account'
  const place = kid === 'account' ? { ltscope: ltscopes.account } : { ltscope: ltscopes.group, terminal_group_kid: kid }
  const query = useCall(api.terminalConfig.current_config, place)
  const dialog = useDialog(dialogs, [])
  const tab = tabs.find((each) => each === search.get('tab')) ?? 'sections'
  const { data } = query
  const own = data?.collection?.levels.at(-1)
  const name = kid === 'account' ? t('level.account') : t('configure:level.group', { name: own?.name ?? '' })
  const title = kid === 'account' ? t('of_account') : name
  useRecordName(own ? title : undefined)
  const set = configSectionKeys.filter((section) => data?.[section]?.levels.at(-1)?.own)
  return (
    <section className="list-page">
      <PageHead title={own ? title : t('level.group')} icon={pageIcon('configurePushList')}>
        {set.length > 0 && (
          <May needs="deviceDetailConfig:edit">
            <Button icon={<CopyOutlined aria-hidden />} onClick={() => dialog.open('copy')}>
              {t('copy.button')}
            </Button>
          </May>
        )}
      </PageHead>
      {own && <LevelState {...(kid !== 'account' && { terminal_group_kid: kid })} />}
      <AddressTabs
        label={t('tabs')}
        keeps={['kid']}
        tabs={tabs.map((value) => ({ value, label: t(`level_tab.${value}`) }))}
      />
      {tab === 'versions' && <Versions fixed={place} />}
      {tab === 'sections' && query.isPending && <Skeleton active title={false} paragraph={{ rows: 12 }} />}
      {tab === 'sections' && query.error && <Failure error={query.error} retry={query.refetch} />}
      {tab === 'sections' && data && <ConfigSections current={data as never} edit="deviceDetailConfig:edit" />}
      {dialog.is('copy') && set.length > 0 && (
        <CopyDrawer place={place} name={name} sections={set} onClose={dialog.close} />
      )}
    </section>
  )
}
