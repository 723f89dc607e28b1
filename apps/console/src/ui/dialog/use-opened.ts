import { useSearch, withParams } from '../../core/address.ts'

/** Which row stands open beside its list. It is in the address: links, reload and the back button know it. */
export function useOpened(name = 'open') {
  const [search, setSearch] = useSearch()
  return {
    opened: search.get(name),
    open: (kid: string | null) => setSearch((before) => withParams(before, { [name]: kid })),
    /** Where a link to the open row leads. */
    linkTo: (kid: string) => ({ search: withParams(search, { [name]: kid }).toString() }),
  }
}
