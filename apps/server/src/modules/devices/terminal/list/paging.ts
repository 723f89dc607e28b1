import type { Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { Actor } from '../../../../actor.ts'
import { readPage } from '../../../../db/paging.ts'
import type { Total } from '../../../../db/paging.ts'
import { withUploadRoles } from '../../../configuration/terminal-config/index.ts'
import { counterFor, matcherOf, matching, tablesOf } from '../../../fleet/terminal-filter/index.ts'
import type { Matcher, Sorted } from '../../../fleet/terminal-filter/index.ts'
import { columnsFor, gather, totalForPlan } from './list-plans.ts'
import { hydrateRows, rowsOf } from './rows.ts'

type Input = In<Contract['terminal']['calls']['paging']>

/**
 * One page of devices: their kids, from an index of the sorted table with no more joins than filter and sort need, and
 * around that their rows by primary key. Skipped rows and rows that are only counted cost an index entry each.
 */
export async function paging(actor: Actor, input: Input) {
  const matcher = await matcherOf(actor, input)
  const gathered = await gather(actor, matcher, input)
  if (gathered.page) {
    const kids = gathered.page.items.map(({ kid }) => kid)
    return { ...gathered.page, items: await rowsOf(actor, kids) }
  }
  const read = await reading(actor, matcher, input, { known: gathered.total })
  const page = await read(input)
  return { ...page, items: await withUploadRoles(actor, page.items) }
}

/** Every page of what `paging` answers but the upload rules, found and counted once; of each row `only` these fields. */
export async function* pages(
  actor: Actor,
  input: Omit<Input, 'page' | 'page_size' | 'after'>,
  { page_size, only }: { page_size: number; only: ReadonlySet<string> },
) {
  const read = await reading(actor, await matcherOf(actor, input), input, { only })
  const at = (after?: string) => read({ ...input, page: 1, page_size, after })
  let next: ReturnType<typeof at> | undefined = at()
  while (next) {
    const page: Awaited<ReturnType<typeof at>> = await next
    // The database reads on while somebody does something with these; who leaves in between does not hear of a fault.
    next = page.next === null ? undefined : at(page.next)
    next?.catch(() => {})
    yield page.items
  }
}

/** Reads any page of one list, of which how many there are may be `known`; with `only` without saying how many. */
async function reading(
  actor: Actor,
  matcher: Matcher,
  input: Sorted,
  { known, only }: { known?: Total | undefined; only?: ReadonlySet<string> },
) {
  const { scope } = actor
  const total = known ?? (await totalForPlan(actor, matcher, input))
  const query = matching(scope, matcher, tablesOf(actor, matcher, input))
  return (at: Input) =>
    readPage({
      query,
      hydrate: (kids) => hydrateRows(scope, kids, only),
      input: at,
      columns: columnsFor(total),
      key: sql`terminal.kid`,
      // Who walks through all of it counts by themselves.
      total: only ? 0 : (total ?? counterFor(actor, matcher)),
    })
}
