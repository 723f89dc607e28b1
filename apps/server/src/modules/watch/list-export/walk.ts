import { reading } from '../../../db/replica.ts'
import type { Deps } from '../../../deps.ts'
import { authorise } from '../../../http/authorise.ts'
import type { RequestInfo, SignedIn } from '../../../http/context.ts'
import { context } from '../../../http/mount.ts'
import type { AllHandlers } from '../../../http/mount.ts'
import { Refusal } from '../../../refusal.ts'
import { pageInput } from './service.ts'
import type { ExportRequest, List } from './service.ts'

export type Row = Record<string, unknown>
export type Page = { items: Row[]; next: string | null }
type Walk = {
  list: List
  request: Pick<ExportRequest, 'input' | 'kids'>
  by: RequestInfo
  /** Asked before each page. @throws what the list refuses them by then */
  mayStill: () => Promise<SignedIn>
}

/** The list page by page, as the person who asked may see it at that moment. */
export async function* walkList(
  deps: Deps,
  handlers: AllHandlers,
  { list, request, by, mayStill }: Walk,
): AsyncGenerator<Page, undefined> {
  const handler = handlers[list.group][list.name]!
  let after: string | undefined
  do {
    const session = await mayStill()
    const input = pageInput(list, request, after)
    if (!input.success) throw new Refusal('export_not_possible')
    const rows = await reading(deps, (from) => handler(input.data, context(from, by, session, [])))
    const answer = list.call.output.parse(rows)
    const page = list.has_pages ? (answer as Page) : onePage(answer as Row[], request.kids)
    yield page
    // A list that does not know cursors would begin anew for ever.
    after = page.next === after ? undefined : (page.next ?? undefined)
  } while (after !== undefined)
}

/** Rows that came or went since they were chosen are left out. */
function onePage(rows: Row[], kids: readonly string[] | undefined): Page {
  const by_kid = new Map(rows.map((row) => [row['kid'], row]))
  return { items: kids ? kids.flatMap((kid): Row[] => (by_kid.has(kid) ? [by_kid.get(kid)!] : [])) : rows, next: null }
}

/** Whose session it is by now, if the list is still theirs to read. @throws `unauthorized`, `no_permission` */
export async function mayRead({ call }: List, read: () => Promise<SignedIn | undefined>): Promise<SignedIn> {
  const session = await read()
  authorise(call, session)
  if (!session) throw new Refusal('unauthorized')
  return session
}
