import type { Contract, In, TerminalPolicyState } from '@mdm/contract'
import { sql } from 'kysely'
import { containing, readPage } from '../../../db/paging.ts'
import type { Deps } from '../../../deps.ts'
import { refuse } from '../../../refusal.ts'

type Calls = Contract['opsPolicy']['calls']

const during = (state: TerminalPolicyState, now: Date) =>
  ({
    pending: sql<boolean>`terminal_policy.starts_at > ${now}`,
    active: sql<boolean>`terminal_policy.starts_at <= ${now} AND terminal_policy.ends_at > ${now}`,
    ended: sql<boolean>`terminal_policy.ends_at <= ${now}`,
  })[state]

/** Which SNs are on which policies, and whose devices they are, if anybody's yet. */
export function pagingTerminal({ db, clock }: Deps, input: In<Calls['paging_terminal']>) {
  const now = clock.now()
  const { policy_kid, text, source, state } = input
  return readPage({
    query: db
      .selectFrom('terminal_policy')
      .$if(policy_kid !== undefined, (q) => q.where('terminal_policy.policy_kid', '=', policy_kid!))
      .$if(Boolean(text), (q) => q.where('terminal_policy.search', 'like', containing(text!)))
      .$if(source !== undefined, (q) => q.where('terminal_policy.source', '=', source!))
      .$if(state !== undefined, (q) => q.where(during(state!, now))),
    hydrate: (kids) =>
      db
        .selectFrom('terminal_policy')
        .innerJoin('policy', 'policy.kid', 'terminal_policy.policy_kid')
        .leftJoin('terminal', 'terminal.sn', 'terminal_policy.sn')
        .leftJoin('account', 'account.kid', 'terminal.account_kid')
        .select(['terminal_policy.kid', 'terminal_policy.policy_kid', 'policy.name as policy_name'])
        .select(['terminal_policy.sn', 'terminal_policy.work_order', 'terminal_policy.source'])
        .select(['terminal_policy.starts_at', 'terminal_policy.ends_at'])
        .select(['terminal_policy.created_by', 'terminal_policy.created_at', 'account.name as account_name'])
        .select(
          sql<TerminalPolicyState>`CASE WHEN ${during('pending', now)} THEN 'pending' WHEN ${during('active', now)} THEN 'active' ELSE 'ended' END`.as(
            'state',
          ),
        )
        .where('terminal_policy.kid', '=', sql<string>`any(${kids}::uuid[])`)
        .execute(),
    input,
    columns: {
      created_at: { ref: sql`terminal_policy.created_at`, order: 'desc' },
      sn: { ref: sql`terminal_policy.sn` },
      ends_at: { ref: sql`terminal_policy.ends_at` },
    },
    key: sql`terminal_policy.kid`,
  })
}

/** Takes SNs off their policies: all that are named or none. */
export const removeTerminals = ({ db }: Deps, kids: readonly string[]) =>
  db.transaction().execute(async (trx) => {
    const wanted = [...new Set(kids)]
    const gone = await trx
      .deleteFrom('terminal_policy')
      .where('kid', '=', sql<string>`any(${wanted}::uuid[])`)
      .returning(['policy_kid', 'sn'])
      .execute()
    if (gone.length !== wanted.length) refuse('not_found')
    for (const policy_kid of [...new Set(gone.map((row) => row.policy_kid))].toSorted())
      await trx
        .updateTable('policy')
        .set({
          terminal_count: sql<number>`terminal_count - ${gone.filter((row) => row.policy_kid === policy_kid).length}`,
        })
        .where('kid', '=', policy_kid)
        .execute()
    return gone
  })
