import { useQueries } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { api, keyOf, send, useCall } from '../../api.ts'
import { useCount } from '../../screen/format.ts'
import { link } from '../../screens.ts'

/** Each is counted by a call of its own; a longer list is shown by name only. */
const most_counted = 12

export function ModelShares() {
  const { t } = useTranslation('home')
  const names = useCall(api.terminal.facets, {}).data?.models
  return <Shares id="models" title={t('models')} of="model" names={names} />
}

export function SystemShares() {
  const { t } = useTranslation('home')
  const names = useCall(api.terminal.facets, {}).data?.os_versions
  return <Shares id="systems" title={t('systems')} of="os_version" names={names} />
}

type Share = { name: string; count: number; is_exact: boolean }
type Props = { id: string; title: string; of: 'model' | 'os_version'; names: readonly string[] | undefined }
function Shares({ id, title, of, names }: Props) {
  const { t } = useTranslation('home')
  const count = useCount()
  const is_counted = names !== undefined && names.length <= most_counted
  const shares = useShares(of, is_counted ? names : [])
  const whole = shares.reduce((sum, share) => sum + share.count, 0)
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {names?.length === 0 && <p className="dim">{t('shares_none')}</p>}
      {is_counted ? (
        <ul className="shares">
          {shares.map(({ name, count: number, is_exact }) => (
            <li key={name}>
              <Link to={link.deviceList.to({ [of]: name })}>{name}</Link>
              <span className="bar" aria-hidden>
                <i style={{ width: `${whole > 0 ? (number / whole) * 100 : 0}%` }} />
              </span>
              <span className="number">{count(number) + (is_exact ? '' : '+')}</span>
            </li>
          ))}
        </ul>
      ) : (
        <p className="share-names">
          {names?.map((name) => (
            <Link key={name} to={link.deviceList.to({ [of]: name })}>
              {name}
            </Link>
          ))}
        </p>
      )}
    </section>
  )
}

/** Most devices first. What is not counted yet stands at the end. */
function useShares(of: Props['of'], names: readonly string[]): Share[] {
  const results = useQueries({
    queries: names.map((name) => {
      const input = { [of]: name, page_size: 1 }
      return {
        queryKey: keyOf(api.terminal.paging, input),
        queryFn: ({ signal }: { signal: AbortSignal }) => send(api.terminal.paging, input, signal),
      }
    }),
  })
  return names
    .flatMap((name, at): Share[] => {
      const data = results[at]?.data
      // The names outlive the last device that bore them.
      return data?.total === 0 ? [] : [{ name, count: data?.total ?? 0, is_exact: data?.total_is_exact ?? true }]
    })
    .sort((a, b) => b.count - a.count || a.name.localeCompare(b.name))
}
