import { CopyOutlined } from '@ant-design/icons'
import { Button, Skeleton } from 'antd'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { configSectionKeys, ltscopes } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { May } from '../../core/session.tsx'
import { CompareDrawer } from './edit/compare.ts'
import { ConfigSections } from './edit/ConfigSections.tsx'
import { placeOf } from './config-place.ts'
import type { ConfigPlace } from './config-place.ts'
import { CopyDrawer } from './edit/CopyDrawer.tsx'
import { Versions } from './edit/Versions.tsx'
import { AddressTabs } from '../../ui/AddressTabs.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import { Failure } from '../../ui/Failure.tsx'
import { pageIcon } from '../../ui/icons.tsx'
import { PageHead } from '../../ui/PageHead.tsx'
import { useRecordName } from '../../ui/record.ts'
import { LevelState } from './LevelState.tsx'
import { ProfileUses } from './ProfileUses.tsx'

const tabs = ['sections', 'uses', 'versions'] as const
const dialogs = { copy: 'deviceDetailConfig:edit', compare: 'signed_in' } as const

/** The configuration of the account (`kid=account`), of a group or of a profile: what holds there, its versions, and who uses it. */
export default function LevelPage() {
  const { t } = useTranslation(['configure/edit', 'configure'])
  const [search] = useSearchParams()
  const kid = search.get('kid') ?? 'account'
  const is_profile = search.get('level') === 'profile'
  const place = placeOf({
    ltscope: kid === 'account' ? ltscopes.account : is_profile ? ltscopes.profile : ltscopes.group,
    kid: kid === 'account' ? null : kid,
  })
  const shown_tabs = tabs.filter((each) => each !== 'uses' || is_profile)
  const query = useCall(api.terminalConfig.current_config, place)
  const dialog = useDialog(dialogs, [])
  const tab = shown_tabs.find((each) => each === search.get('tab')) ?? 'sections'
  const { data } = query
  const own = data?.collection?.levels.at(-1)
  const name =
    kid === 'account'
      ? t('level.account')
      : t(is_profile ? 'configure:level.profile' : 'configure:level.group', { name: own?.name ?? '' })
  const title = kid === 'account' ? t('of_account') : name
  useRecordName(own ? title : undefined)
  const set = configSectionKeys.filter((section) => data?.[section]?.levels.at(-1)?.own)
  return (
    <section className="list-page">
      <PageHead title={own ? title : t('level.group')} icon={pageIcon('configurePushList')}>
        {own && <Button onClick={() => dialog.open('compare')}>{t('compare.button')}</Button>}
        {set.length > 0 && (
          <May needs="deviceDetailConfig:edit">
            <Button icon={<CopyOutlined aria-hidden />} onClick={() => dialog.open('copy')}>
              {t('copy.button')}
            </Button>
          </May>
        )}
      </PageHead>
      {own && <LevelState {...levelOf(place)} />}
      <AddressTabs
        label={t('tabs')}
        keeps={['kid', 'level']}
        tabs={shown_tabs.map((value) => ({ value, label: t(`level_tab.${value}`) }))}
      />
      {tab === 'uses' && <ProfileUses profile_kid={kid} />}
      {tab === 'versions' && <Versions fixed={place} />}
      {tab === 'sections' && query.isPending && <Skeleton active title={false} paragraph={{ rows: 12 }} />}
      {tab === 'sections' && query.error && <Failure error={query.error} retry={query.refetch} />}
      {tab === 'sections' && data && <ConfigSections current={data as never} edit="deviceDetailConfig:edit" />}
      {dialog.is('compare') && data && (
        <Suspense>
          <CompareDrawer name={name} current={data as never} onClose={dialog.close} />
        </Suspense>
      )}
      {dialog.is('copy') && set.length > 0 && (
        <CopyDrawer place={place} name={name} sections={set} onClose={dialog.close} />
      )}
    </section>
  )
}

const levelOf = ({ ltscope: _, ...place }: ConfigPlace) => place
