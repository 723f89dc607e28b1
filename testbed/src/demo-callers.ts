import type { Caller } from './caller.ts'

/** Signed in as the operator, and as the root of the first customer. */
export type DemoCallers = { operator: Caller; customer: Caller }

/** The first row of a list, or the row that is made because the list is empty. */
export async function findOrMake(
  list: Promise<{ items: readonly { kid: string }[] }>,
  make: () => Promise<{ kid: string }>,
): Promise<{ kid: string }> {
  const [found] = (await list).items
  return found ?? make()
}
