import type { Out, Paged, Sent } from '@mdm/contract'
import { send } from '../../core/api.ts'
import type { AnyCall } from '../../core/api.ts'

export type Row<C> = Out<C> extends Paged<infer R> ? R : never
const page_size = 200

/**
 * The first rows of a list, in the order that `input` asks for: those that a person sees when they page through it.
 * Goes on by cursor, so that a row which comes or goes meanwhile moves none of the others; a row that moves by itself
 * counts once.
 */
export async function firstRows<C extends AnyCall>(call: C, input: Sent<C>, most: number): Promise<Row<C>[]> {
  type R = Row<C> & { kid: string }
  const found = new Map<string, R>()
  for (let after: string | null | undefined; after !== null && found.size < most;) {
    const page = (await send(call, { ...input, page_size, ...(after && { after }) })) as Paged<R>
    for (const row of page.items) found.set(row.kid, row)
    after = page.next
  }
  return [...found.values()].slice(0, most)
}
