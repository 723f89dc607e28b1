import { Segmented } from 'antd'
import { useSearch } from '../../core/address.ts'

type Props<V extends string> = { label: string; views: readonly { value: V; label: string }[] }

/** Which of the lists of one screen is shown; the first one unless the address says another. */
export function useView<V extends string>(views: readonly V[]): V {
  const [search] = useSearch()
  return views.find((view) => view === search.get('view')) ?? views[0]!
}

/** Changes the list. What the address says of the one before means nothing to the next. */
export function ViewChoice<V extends string>({ label, views }: Props<V>) {
  const [, setSearch] = useSearch()
  const value = useView(views.map((view) => view.value))
  return (
    <Segmented<V>
      aria-label={label}
      value={value}
      options={views.map((view) => ({ ...view }))}
      onChange={(view): void => setSearch(() => new URLSearchParams(view === views[0]?.value ? {} : { view }))}
    />
  )
}
