import { useTranslation } from 'react-i18next'
import { useSessionStore } from '../../../core/session-store.ts'
import { localeOf } from '../../../i18n/language.ts'
import { bytesParts } from '../../../ui/value/format.ts'
import type { Quality } from '../picture.ts'
import type { Link } from './link-meter.ts'

const milliseconds = (locale: string) => new Intl.NumberFormat(locale, { style: 'unit', unit: 'millisecond' })

/** The quality of the picture, and what was measured of the way on which it comes. */
export function LinkLine({ link, quality }: { link: Link; quality: Quality }) {
  const { t } = useTranslation('remote')
  const language = useSessionStore((s) => s.language)
  const locale = localeOf[language]
  const { bytes_per_second, round_trip_ms } = link
  const said = [
    t(`quality.now.${quality}`),
    bytes_per_second !== null && t('quality.rate', { rate: bytesParts(bytes_per_second, locale).join(' ') }),
    round_trip_ms !== null && milliseconds(locale).format(Math.round(round_trip_ms)),
  ]
  return (
    <span className="dim remote-link" title={t('quality.measured')}>
      {said.filter(Boolean).join(' · ')}
    </span>
  )
}
