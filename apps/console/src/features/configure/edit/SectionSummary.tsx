import { linesOf } from '@mdm/contract/config/lines.ts'
import { sectionOf } from '@mdm/contract/config/sections.ts'
import type { ConfigSection } from '@mdm/contract'
import type { Collection, ConfigValues, UrlLists } from '@mdm/contract/config/sections.ts'
import { Properties } from '../../../ui/DetailPage.tsx'
import { ManagedSummary } from './apps/ManagedSummary.tsx'
import { AppsOfProvider } from './apps/offered-apps.ts'
import { CollectionSummary, UrlSummary } from './ConfigSummary.tsx'
import { useValueLabels } from './value-labels.ts'

type Props = { section: ConfigSection; value: unknown; is_of_platform: boolean }
/** A section's value in words. */
export function SectionSummary({ section, value, is_of_platform }: Props) {
  const labels = useValueLabels()
  if (section === 'collection') return <CollectionSummary value={value as Collection} />
  if (section === 'url_lists') return <UrlSummary value={value as UrlLists} />
  if (section === 'managed_apps')
    return (
      <AppsOfProvider value={is_of_platform}>
        <ManagedSummary value={value as ConfigValues['managed_apps']} />
      </AppsOfProvider>
    )
  const lines = linesOf(sectionOf(section).fields, value, labels)
  return <Properties of={lines.map(({ label, value: text }) => ({ label, value: text }))} />
}
