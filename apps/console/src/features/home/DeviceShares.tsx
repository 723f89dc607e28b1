import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { FacetShares } from '@mdm/contract'
import { api, useCall } from '../../api.ts'
import { Failure } from '../../screen/Failure.tsx'
import { useCount } from '../../screen/format.ts'
import { link } from '../../links.ts'

/** Below these bars the others stand by name only. */
const most_bars = 12

/** Both parts read the same answer: one call. */
const useShares = () => useCall(api.terminal.facets, { with_shares: true })

export function ModelShares() {
  const { t } = useTranslation('home')
  const query = useShares()
  return <Shares id="models" title={t('models')} of="model" query={query} shares={query.data?.model_shares} />
}

export function SystemShares() {
  const { t } = useTranslation('home')
  const query = useShares()
  return (
    <Shares id="systems" title={t('systems')} of="os_version" query={query} shares={query.data?.os_version_shares} />
  )
}

type Props = {
  id: string
  title: string
  of: 'model' | 'os_version'
  query: Pick<ReturnType<typeof useShares>, 'error' | 'refetch'>
  shares: FacetShares | undefined
}
function Shares({ id, title, of, query, shares }: Props) {
  const { t } = useTranslation('home')
  const count = useCount()
  const { top = [], rest = 0 } = shares ?? {}
  const whole = top.reduce((sum, share) => sum + share.count, rest)
  const others = top.slice(most_bars)
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>
        {title}
        {rest > 0 && <Link to={link.deviceList.to()}>{t('see_all')}</Link>}
      </h2>
      {query.error && <Failure error={query.error} retry={query.refetch} is_line />}
      {shares && whole === 0 && <p className="dim">{t('shares_none')}</p>}
      <ul className="shares">
        {top.slice(0, most_bars).map(({ value, count: number }) => (
          <li key={value}>
            <Link to={link.deviceList.to({ [of]: value })}>{value}</Link>
            <span className="bar" aria-hidden>
              <i style={{ width: `${(number / whole) * 100}%` }} />
            </span>
            <span className="number">{count(number)}</span>
          </li>
        ))}
      </ul>
      {others.length > 0 && (
        <p className="share-names">
          {others.map(({ value, count: number }) => (
            <span key={value}>
              <Link to={link.deviceList.to({ [of]: value })}>{value}</Link>{' '}
              <span className="dim number">{count(number)}</span>
            </span>
          ))}
        </p>
      )}
    </section>
  )
}
