import { useSearchParams } from 'react-router'

/** Which row stands open beside its list. It is in the address: links, reload and the back button know it. */
export function useOpened(name = 'open') {
  const [search, setSearch] = useSearchParams()
  return {
    opened: search.get(name),
    open: (kid: string | null) => setSearch((before) => withOpened(before, name, kid)),
    /** Where a link to the open row leads. */
    linkTo: (kid: string) => ({ search: withOpened(search, name, kid).toString() }),
  }
}

function withOpened(before: URLSearchParams, name: string, kid: string | null): URLSearchParams {
  const after = new URLSearchParams(before)
  if (kid) after.set(name, kid)
  else after.delete(name)
  return after
}
