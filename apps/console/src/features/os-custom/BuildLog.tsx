import { useTranslation } from 'react-i18next'
import type { OsBuildDetail } from '@mdm/contract'
import { useSessionStore } from '../../core/session-store.ts'
import { localeOf } from '../../i18n/language.ts'
import { useSectionName } from '../configure/public.ts'
import { bytesParts } from '../../ui/value/format.ts'
import { DateTime } from '../../ui/value/values.tsx'

/** What was done for a build, line by line. */
export function BuildLog({ build }: { build: OsBuildDetail }) {
  const { t } = useTranslation('os-custom')
  const locale = localeOf[useSessionStore((s) => s.language)]
  const sectionName = useSectionName()
  const inWords = (key: string, value: string | number): string | number => {
    if (key === 'section') return sectionName(String(value))
    return (key === 'size' || key === 'bytes') && typeof value === 'number'
      ? bytesParts(value, locale).join(' ')
      : value
  }
  const shown = ({ details }: OsBuildDetail['lines'][number]) =>
    Object.fromEntries(Object.entries(details).map(([key, value]) => [key, inWords(key, value)]))
  return (
    <section className="os-custom-part" aria-label={t('log')}>
      <h2>{t('log')}</h2>
      {build.lines.length === 0 ? (
        <p className="dim">{t('log_none')}</p>
      ) : (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, and has to do so by keyboard
        <ol className="os-build-log" tabIndex={0}>
          {build.lines.map((line, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- lines are only ever added at the end
            <li key={at}>
              <DateTime at={line.at} />
              <span>{t(`line.${line.event}`, { step: t(`step.${line.step}`), ...shown(line) })}</span>
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}
