import { useTranslation } from 'react-i18next'
import { api, useCall } from '../../core/api.ts'
import { arriving } from '../../ui/Arriving.tsx'
import { Failure } from '../../ui/Failure.tsx'
import { dateParts } from '../../ui/value/format.ts'
import { useZone } from '../../core/session.tsx'
import { curveOf } from './curve.ts'

const width = 320
const height = 72
/** Samples are made every 5 minutes. */
const refetchMs = 5 * 60_000

/** How many devices were online over the last day. What it shows is said in words as well. */
export function OnlineCurve() {
  const { t } = useTranslation('home')
  const zone = useZone()
  const query = useCall(api.terminal.list_online, {}, { refetchMs })
  const curve = query.data && curveOf(query.data.points, { width, height })
  const clock = (at: number) => dateParts(at, zone)[1].slice(0, 5)
  return (
    <section className={arriving(query)} aria-labelledby="online-curve">
      <h2 id="online-curve">
        {t('curve')}
        {curve && <span className="dim">{t('curve_range', { min: curve.min, max: curve.max })}</span>}
      </h2>
      {query.error && <Failure error={query.error} retry={query.refetch} is_line />}
      {curve && (
        <figure className="online-curve">
          <svg
            viewBox={`0 0 ${width} ${height}`}
            preserveAspectRatio="none"
            role="img"
            aria-label={t('curve_said', { min: curve.min, max: curve.max, now: curve.last })}
          >
            <path className="online-curve-area" d={curve.area} />
            <path className="online-curve-line" d={curve.line} />
          </svg>
          <figcaption className="dim" aria-hidden>
            <span>{clock(curve.from)}</span>
            <span>{clock(curve.until)}</span>
          </figcaption>
        </figure>
      )}
    </section>
  )
}
