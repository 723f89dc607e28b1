import type { ApiRefusedRow, Contract, In } from '@mdm/contract'
import { ApiRefused } from '@mdm/device-link'
import { sql } from 'kysely'
import { readPage } from '../../../db/paging.ts'
import type { Deps } from '../../../deps.ts'

type Input = In<Contract['opsOsMdmApi']['calls']['paging_refused']>
const default_days = 31
const day_ms = 86_400_000

/** Calls that devices of all customers refused; without a beginning those of the last month. */
export async function pagingRefused({ db, clock }: Deps, input: Input) {
  const { text, package: name, reason, from, to } = input
  const since = from ? new Date(from) : new Date((to ? Date.parse(to) : clock.now().getTime()) - default_days * day_ms)
  const page = await readPage({
    query: db
      .selectFrom('terminal_event as e')
      .innerJoin('terminal as t', 't.kid', 'e.terminal_kid')
      .innerJoin('account as a', 'a.kid', 'e.account_kid')
      .select(['e.kid', 'e.terminal_kid', 'e.detail', 'e.at', 't.sn', 'a.name as account_name'])
      .where(sql<boolean>`e.type = 'api_refused'`)
      .where('e.at', '>=', since)
      .$if(to !== undefined, (q) => q.where('e.at', '<=', new Date(to!)))
      .$if(name !== undefined, (q) => q.where(sql`e.detail ->> 'package'`, '=', name!))
      .$if(reason !== undefined, (q) => q.where(sql`e.detail ->> 'reason'`, '=', reason!))
      .$if(Boolean(text), (q) => q.where(sql<boolean>`starts_with(lower(t.sn), ${text!.toLowerCase()})`)),
    input,
    columns: { at: { ref: sql`e.at`, order: 'desc' } },
    key: sql`e.kid`,
  })
  return { ...page, items: page.items.map(shown) }
}

const nothing = { package: '', cert_sha1: '', method: '', reason: 'not_listed' as const, count: 1 }

/** A device may say anything: what makes no sense is shown as nothing. */
function shown({
  detail,
  at,
  ...row
}: {
  kid: string
  terminal_kid: string
  detail: unknown
  at: Date
  sn: string
  account_name: string
}): ApiRefusedRow {
  const parsed = ApiRefused.safeParse(detail)
  return { ...row, ...(parsed.data ?? nothing), at: at.toISOString() }
}
