import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { pages } from '@mdm/contract'
import { link } from '../../core/links.ts'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { AddButton } from '../../ui/list/AddButton.tsx'
import { AddressTabs } from '../../ui/AddressTabs.tsx'
import { pageIcon } from '../../ui/icons.tsx'
import { PageHead } from '../../ui/PageHead.tsx'
import { Behind } from './Behind.tsx'
import { FleetVersions } from './FleetVersions.tsx'
import { OsPushes } from './OsPushes.tsx'
import './os-push.css'

const tabs = ['pushes', 'versions', 'behind'] as const
const parts = { pushes: OsPushes, versions: FleetVersions, behind: Behind }

/** Pushes of OS versions, which versions the fleet runs, and who is behind. */
export default function OsPushListPage() {
  const { t } = useTranslation('os-push')
  const textOf = useTextOf()
  const asked = useSearchParams()[0].get('tab')
  const tab = tabs.find((one) => one === asked) ?? 'pushes'
  const Part = parts[tab]
  return (
    <section className="os-push">
      <PageHead title={textOf(pages.userOsPushList.title)} icon={pageIcon('userOsPushList')}>
        <AddButton needs="userOsPush" to={link.userOsPush.to()}>
          {t('push')}
        </AddButton>
      </PageHead>
      <AddressTabs
        label={textOf(pages.userOsPushList.title)}
        tabs={tabs.map((value) => ({ value, label: t(`tab.${value}`) }))}
      />
      <Part />
    </section>
  )
}
