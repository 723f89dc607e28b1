import type { Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { Deps } from '../../../deps.ts'
import { containing, readPage } from '../../../db/paging.ts'
import { refuse } from '../../../refusal.ts'
import { named } from './service.ts'

type Calls = Contract['opsTerminal']['calls']

/** SNs that nobody can register, of every customer. */
export const paging = ({ db }: Deps, { text, account_text, ...input }: In<Calls['paging_scrapped']>) =>
  readPage({
    query: db
      .selectFrom('scrapped_sn')
      .$if(Boolean(text), (q) => q.where('search', 'like', containing(text!)))
      .$if(Boolean(account_text), (q) => q.where('account_kid', 'in', named(db, account_text!).select('kid'))),
    hydrate: (kids) =>
      db
        .selectFrom('scrapped_sn')
        .innerJoin('account as a', 'a.kid', 'scrapped_sn.account_kid')
        .select(['scrapped_sn.kid', 'scrapped_sn.sn', 'scrapped_sn.name', 'scrapped_sn.model'])
        .select(['scrapped_sn.scrapped_by', 'scrapped_sn.scrapped_at'])
        .select(['a.kid as account_kid', 'a.name as account_name'])
        .where('scrapped_sn.kid', '=', sql<string>`any(${kids}::uuid[])`)
        .execute(),
    input,
    columns: {
      scrapped_at: { ref: sql`scrapped_sn.scrapped_at`, order: 'desc' },
      sn: { ref: sql`scrapped_sn.sn` },
    },
    key: sql`scrapped_sn.kid`,
  })

/** Each of these SNs may announce itself and be registered again: all of them or none. */
export const restore = ({ db }: Deps, sns: readonly string[]): Promise<{ kid: string; sn: string }[]> =>
  db.transaction().execute(async (trx) => {
    const wanted = [...new Set(sns)]
    const gone = await trx
      .deleteFrom('scrapped_sn')
      .where('sn', '=', sql<string>`any(${wanted}::text[])`)
      .returning(['kid', 'sn'])
      .execute()
    const found = new Set(gone.map(({ sn }) => sn))
    const missing = wanted.find((sn) => !found.has(sn))
    if (missing !== undefined) refuse('sn_not_scrapped', { sn: missing })
    return gone
  })
