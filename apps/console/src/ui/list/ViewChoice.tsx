import { Segmented } from 'antd'
import { useSearchParams } from 'react-router'

type Props<V extends string> = { label: string; views: readonly { value: V; label: string }[] }

/** Which of the lists of one screen is shown; the first one unless the address says another. */
export function useView<V extends string>(views: readonly V[]): V {
  const [search] = useSearchParams()
  return views.find((view) => view === search.get('view')) ?? views[0]!
}

/** Changes the list. What the address says of the one before means nothing to the next. */
export function ViewChoice<V extends string>({ label, views }: Props<V>) {
  const [, setSearch] = useSearchParams()
  const value = useView(views.map((view) => view.value))
  return (
    <Segmented<V>
      aria-label={label}
      value={value}
      options={views.map((view) => ({ ...view }))}
      onChange={(view): void => setSearch(view === views[0]?.value ? {} : { view })}
    />
  )
}
