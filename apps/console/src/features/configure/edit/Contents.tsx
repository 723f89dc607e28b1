import { useTranslation } from 'react-i18next'
import type { ConfigSection } from '@mdm/contract'
import { configAreas } from '@mdm/contract/config/areas.ts'
import type { ConfigArea } from '@mdm/contract/config/areas.ts'
import { useTextOf } from '../../../i18n/use-text-of.ts'
import { useSectionName } from '../section-name.ts'
import type { Draft } from './drafts.ts'

type Listed = { section: ConfigSection; own: object | null }
type Props = { areas: readonly { area: ConfigArea; sections: readonly Listed[] }[]; draft: Draft }

/** The table of contents: every section by what it is about, with a mark where it is set here or about to change. */
export function Contents({ areas, draft }: Props) {
  const { t } = useTranslation('configure/edit')
  const textOf = useTextOf()
  const sectionName = useSectionName()
  return (
    <nav className="config-contents" aria-label={t('contents')}>
      {areas.map(({ area, sections }) => (
        <div key={area}>
          <p>{textOf(configAreas[area])}</p>
          <ul>
            {sections.map(({ section, own }) => (
              <li key={section}>
                <a
                  href={`#section-${section}`}
                  onClick={(event) => {
                    // The address belongs to filters and drawers.
                    event.preventDefault()
                    const part = document.getElementById(`section-${section}`)
                    part?.scrollIntoView({ block: 'start' })
                    part?.focus({ preventScroll: true })
                  }}
                >
                  {sectionName(section)}
                </a>
                {section in draft && <span className="config-mark is-changed">{t('contents_changed')}</span>}
                {!(section in draft) && own !== null && <span className="config-mark">{t('contents_set')}</span>}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  )
}
