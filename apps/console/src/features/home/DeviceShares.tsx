import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { FacetShares } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { arriving } from '../../ui/Arriving.tsx'
import { Failure } from '../../ui/Failure.tsx'
import { useCount } from '../../ui/value/format.ts'
import { link } from '../../core/links.ts'

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

/** The groups at the top of the tree, each with everything below it, and the devices in none. */
export function GroupShares() {
  const { t } = useTranslation('home')
  const query = useCall(api.terminalGroup.list, { parent_kid: 'ROOT', is_no_group: true })
  const top = query.data
    ?.map((group) => ({
      value: group.kid,
      name: group.is_no_group ? t('no_group') : group.name,
      count: group.total_count,
    }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count)
  const shares = top && { top, rest: 0 }
  return <Shares id="groups" title={t('groups')} of="terminal_group_kid" query={query} shares={shares} />
}

type Props = {
  id: string
  title: string
  of: 'model' | 'os_version' | 'terminal_group_kid'
  query: { isPending: boolean; error: Error | null; refetch: () => unknown }
  /** `name` is shown where people do not know the value. */
  shares: { top: readonly (FacetShares['top'][number] & { name?: string })[]; rest: number } | undefined
}
function Shares({ id, title, of, query, shares }: Props) {
  const { t } = useTranslation('home')
  const count = useCount()
  const { top = [], rest = 0 } = shares ?? {}
  const whole = top.reduce((sum, share) => sum + share.count, rest)
  const others = top.slice(most_bars)
  return (
    <section className={arriving(query)} aria-labelledby={id}>
      <h2 id={id}>
        {title}
        {rest > 0 && <Link to={link.deviceList.to()}>{t('see_all')}</Link>}
      </h2>
      {query.error && <Failure error={query.error} retry={query.refetch} is_line />}
      {shares && whole === 0 && <p className="dim">{t('shares_none')}</p>}
      <ul className="shares">
        {top.slice(0, most_bars).map(({ value, name, count: number }) => (
          <li key={value}>
            <Link dir="auto" to={link.deviceList.to({ [of]: value })}>
              {name ?? value}
            </Link>
            <span className="bar" aria-hidden>
              <i style={{ width: `${(number / whole) * 100}%` }} />
            </span>
            <span className="number">{count(number)}</span>
          </li>
        ))}
      </ul>
      {others.length > 0 && (
        <p className="share-names">
          {others.map(({ value, name, count: number }) => (
            <span key={value}>
              <Link dir="auto" to={link.deviceList.to({ [of]: value })}>
                {name ?? value}
              </Link>{' '}
              <span className="dim number">{count(number)}</span>
            </span>
          ))}
        </p>
      )}
    </section>
  )
}
