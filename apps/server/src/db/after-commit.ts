import type { Kysely, Transaction } from 'kysely'
import type { Tables } from './schema/tables.ts'

/** A transaction with what is to be done once it is committed, as whoever is told before would read what may not come to be. */
export async function transactionThen<T>(
  db: Kysely<Tables>,
  work: (trx: Transaction<Tables>, after: (effect: () => void) => void) => Promise<T>,
): Promise<T> {
  const effects: (() => void)[] = []
  const done = await db.transaction().execute((trx) => work(trx, (effect) => void effects.push(effect)))
  for (const effect of effects) effect()
  return done
}
