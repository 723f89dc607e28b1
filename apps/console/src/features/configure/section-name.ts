import { isSection } from '@mdm/contract'
import { sectionOf } from '@mdm/contract/config/sections.ts'
import { useTextOf } from '../../i18n/use-text-of.ts'

/** A section of a configuration as people call it; one of a newer release by its key. */
export function useSectionName(): (section: string) => string {
  const textOf = useTextOf()
  return (section) => (isSection(section) ? textOf(sectionOf(section).title) : section)
}
