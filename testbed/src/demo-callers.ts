import type { Caller } from './caller.ts'

/** Signed in as the operator, and as the root of the first customer. */
export type DemoCallers = { operator: Caller; customer: Caller }

/** The row of a list that is the one, or the row that is made because none is. What a list finds by a text is not yet the one. */
export async function findOrMake<Row extends { kid: string }>(
  list: Promise<{ items: readonly Row[] }>,
  isTheOne: (row: Row) => boolean,
  make: () => Promise<{ kid: string }>,
): Promise<{ kid: string }> {
  return (await list).items.find(isTheOne) ?? make()
}
