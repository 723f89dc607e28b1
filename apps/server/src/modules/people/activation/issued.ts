import { nextActivation } from '@mdm/contract'
import type { ActivationEvent, ActivationState, Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { Kysely, Selectable, Updateable } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { containing, readPage } from '../../../db/paging.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { newKid } from '../../../lib/ids.ts'
import { refuse } from '../../../refusal.ts'
import { readReceipt, signCode, signEnd } from './code.ts'
import type { CodePayload, SigningKey } from './code.ts'
import { signingKey } from './signing-key.ts'

type Calls = Contract['opsActivation']['calls']
type Row = Selectable<Tables['activation']>

export const paging = ({ db, clock }: Deps, input: In<Calls['paging']>) =>
  readPage({
    query: db
      .selectFrom('activation')
      .select(['kid', 'name', 'max_accounts', 'max_devices', 'macs', 'state', 'fault', 'issue', 'starts_at', 'ends_at'])
      .select(['reported_at', 'remark', 'created_by', 'created_at'])
      .$if(Boolean(input.text), (q) =>
        q.where((eb) =>
          eb.or([
            eb(sql`lower(name)`, 'like', containing(input.text!)),
            eb(sql`lower(remark)`, 'like', containing(input.text!)),
          ]),
        ),
      )
      .$if(input.state !== undefined, (q) => q.where('state', '=', input.state!))
      .$if(input.ends_within_days !== undefined, (q) =>
        q
          .where('ends_at', '>', clock.now())
          .where('ends_at', '<=', new Date(clock.now().getTime() + input.ends_within_days! * 86_400_000)),
      ),
    input,
    columns: {
      created_at: { ref: sql`created_at`, order: 'desc' },
      name: { ref: sql`lower(name)` },
      ends_at: { ref: sql`ends_at` },
      max_devices: { ref: sql`max_devices` },
    },
    key: sql`kid`,
  })

export async function get({ db }: Deps, kid: string) {
  return (
    (await db.selectFrom('activation').selectAll().where('kid', '=', kid).executeTakeFirst()) ?? refuse('not_found')
  )
}

type Terms = Pick<CodePayload, 'name' | 'max_accounts' | 'max_devices' | 'macs'> & { ends_at: string }

/** A code that runs from now; its row's part. Refused when it would have ended already. */
function issued({ clock }: Deps, key: SigningKey, kid: string, issue: number, { ends_at, ...terms }: Terms) {
  const starts_at = clock.now()
  const end = new Date(ends_at)
  if (end <= starts_at) refuse('activation_code_expired')
  const dates = { starts_at: starts_at.toISOString(), ends_at: end.toISOString() }
  const code = signCode(key, { kid, issue, ...terms, ...dates })
  return { ...terms, issue, code, starts_at, ends_at: end }
}

export async function insert({ deps, user }: Actor, { remark, ...draft }: In<Calls['insert']>) {
  const kid = newKid()
  await deps.db
    .insertInto('activation')
    .values({
      kid,
      ...issued(deps, await signingKey(deps), kid, 1, draft),
      state: 'activating',
      fault: null,
      reported_at: null,
      remark,
      created_by: user.name,
      created_at: deps.clock.now(),
    })
    .execute()
  return { kid }
}

/** A server that has slept through more renewals is not known by its receipt any more. */
const earlier_max = 50

/**
 * Another code for the same server, with a new end and, where they are named, new limits. The server has to take it up;
 * the code before holds there until it does.
 */
export async function renew(deps: Deps, { kid, ends_at, ...terms }: In<Calls['renew']>) {
  const key = await signingKey(deps)
  return change(deps, kid, (row) => {
    const { name, max_accounts, max_devices, macs } = row
    const wanted = { max_accounts, max_devices, macs, ...defined(terms), name, ends_at }
    return {
      ...issued(deps, key, kid, row.issue + 1, wanted),
      ...moved(row, 'renew'),
      earlier_codes: [...row.earlier_codes, row.code].slice(-earlier_max),
      fault: null,
      reported_at: null,
    }
  })
}

const defined = <T extends object>(terms: T): Partial<T> =>
  Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== undefined)) as Partial<T>

/** A server that reports hears of it at its next report; one that does not keeps its code until its end. */
export const eliminate = (deps: Deps, kid: string) =>
  change(deps, kid, (row) => ({ ...moved(row, 'eliminate'), fault: null }))

/** What a receipt says of it. Refused for one of another code, and `conflict` for what is over. */
export const confirm = (deps: Deps, { kid, receipt }: { kid: string; receipt: string }) =>
  change(deps, kid, (row) => confirmed(deps, row, receipt))

function confirmed(deps: Deps, row: Row, receipt: string) {
  const outcome = readReceipt(row.code, receipt) ?? refuse('activation_receipt_wrong')
  const is_fault = outcome !== 'activated'
  return {
    ...moved(row, is_fault ? 'fail' : 'confirm'),
    fault: is_fault ? outcome : null,
    reported_at: deps.clock.now(),
  }
}

/**
 * The same from the server itself, which is told when its activation was eliminated, also when it holds a code from before a
 * renewal; only the newest code confirms. Who does not hold a code learns nothing: not even whether there is such an activation.
 */
export async function report(deps: Deps, { kid, receipt }: { kid: string; receipt: string }) {
  const row = await deps.db.selectFrom('activation').selectAll().where('kid', '=', kid).executeTakeFirst()
  const code = [row?.code, ...(row?.earlier_codes ?? [])].find((one) => one && readReceipt(one, receipt))
  if (!row || !code) return refuse('activation_receipt_wrong')
  const is_renewed = code !== row.code
  if (row.state === 'eliminated') return { ended: signEnd(await signingKey(deps), kid), is_renewed }
  // One that has expired is not revived by what its server says of it.
  if (!is_renewed && nextActivation(row.state, 'confirm')) await confirm(deps, { kid, receipt })
  return { ended: null, is_renewed }
}

const moved = ({ state }: { state: ActivationState }, event: ActivationEvent) => ({
  state: nextActivation(state, event) ?? refuse('conflict'),
})

/** Changes one row under its lock; the row as it is then. */
const change = ({ db }: Deps, kid: string, make: (row: Row) => Updateable<Tables['activation']>) =>
  db.transaction().execute(async (trx: Kysely<Tables>) => {
    const row = await trx.selectFrom('activation').selectAll().where('kid', '=', kid).forUpdate().executeTakeFirst()
    if (!row) return refuse('not_found')
    return trx.updateTable('activation').set(make(row)).where('kid', '=', kid).returningAll().executeTakeFirstOrThrow()
  })

/** By their time; a job's. */
export async function expire({ db, clock }: Deps): Promise<void> {
  const open = (['activating', 'activated', 'error'] as const).filter((state) => nextActivation(state, 'expire'))
  await db
    .updateTable('activation')
    .set({ state: 'expired', fault: null })
    .where('state', 'in', open)
    .where('ends_at', '<=', clock.now())
    .execute()
}
