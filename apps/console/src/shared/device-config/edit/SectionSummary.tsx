import { sectionOf } from '@mdm/contract/config/sections.ts'
import type { ConfigSection } from '@mdm/contract'
import type { Collection, UrlLists } from '@mdm/contract/config/sections.ts'
import { Properties } from '../../../ui/DetailPage.tsx'
import { CollectionSummary, UrlSummary } from './ConfigSummary.tsx'
import { linesOf } from './values.ts'
import { useWords } from './words.ts'

/** A section's value in words. */
export function SectionSummary({ section, value }: { section: ConfigSection; value: unknown }) {
  const words = useWords()
  if (section === 'collection') return <CollectionSummary value={value as Collection} />
  if (section === 'url_lists') return <UrlSummary value={value as UrlLists} />
  const lines = linesOf(sectionOf(section).fields, value, words)
  return <Properties of={lines.map(({ label, value: text }) => ({ label, value: text }))} />
}
