import { Link, useSearchParams } from 'react-router'

type Props = {
  /** What they are the sections of. */
  label: string
  /** The first one is open where the address names none. */
  tabs: readonly { value: string; label: string }[]
  /** What of the address is not a tab's own and stays: which record it is of. */
  keeps?: readonly string[]
}

/** Sections of one page, of which the address says the open one as `tab`: links, reload and the back button know it. */
export function AddressTabs({ label, tabs, keeps = [] }: Props) {
  const [search] = useSearchParams()
  const asked = search.get('tab')
  const open = tabs.find(({ value }) => value === asked) ?? tabs[0]
  const linkTo = (value: string) => {
    const kept = new URLSearchParams([...search].filter(([name]) => keeps.includes(name)))
    if (value !== tabs[0]?.value) kept.set('tab', value)
    return { search: kept.toString() }
  }
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map((tab) => {
        const is_open = tab === open
        return (
          <Link
            key={tab.value}
            to={linkTo(tab.value)}
            className={is_open ? 'active' : undefined}
            aria-current={is_open ? 'page' : undefined}
            preventScrollReset
          >
            {tab.label}
          </Link>
        )
      })}
    </nav>
  )
}
