import type { Answer, Contract, In, Language } from '@mdm/contract'
import { sql } from 'kysely'
import type { ExpressionBuilder, Kysely } from 'kysely'
import { containing, readPage } from '../../../db/paging.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Actor } from '../../../actor.ts'
import type { Ctx, Track } from '../../../http/context.ts'
import { refuse } from '../../../refusal.ts'
import { detailOf, pictureOf } from './describe.ts'
import { touching } from './operators-scope.ts'
import { actionsNamed, messageOf, namesOf, resultsSaying, trackOf } from './names.ts'

type Calls = Contract['operationLog']['calls']
/**
 * Whose operations: those done in the account acted for, or `everything` for the provider. A user limited to groups has
 * their own and what was done to devices in those groups.
 */
export type Whose = 'account' | 'everything'

/** A search in the text reads rows rather than an index, so it looks at this much when no beginning is given. */
const searchedDays = 31
const operators_max = 50

export async function paging(ctx: Ctx, whose: Whose, input: In<Calls['paging']>) {
  const { language } = ctx.request
  const { text, module_code, action_code, operator_kid, result, to } = input
  const from = input.from
    ? new Date(input.from)
    : text
      ? daysBefore(to ? new Date(to) : ctx.deps.clock.now())
      : undefined
  const query = rowsOf(ctx, whose)
    .select(listed)
    .$if(from !== undefined, (q) => q.where('created_at', '>=', from!))
    .$if(to !== undefined, (q) => q.where('created_at', '<=', new Date(to!)))
    .$if(Boolean(module_code), (q) => q.where('module_code', '=', module_code!))
    .$if(Boolean(action_code), (q) => q.where('action_code', '=', action_code!))
    .$if(operator_kid !== undefined, (q) => q.where('operator_kid', '=', operator_kid!))
    .$if(result !== undefined, (q) => q.where('result', result === 'success' ? '=' : '!=', 1))
    .$if(Boolean(text), (q) =>
      q.where((eb) =>
        eb.or([
          eb('search', 'like', containing(text!)),
          ...actionsNamed(text!, language).map((named) =>
            eb.and([eb('module_code', '=', named.module_code), eb('action_code', '=', named.action_code)]),
          ),
          eb('result', 'in', [0, ...resultsSaying(text!, language)]),
        ]),
      ),
    )
  const page = await readPage({
    query,
    input,
    columns: { created_at: { ref: sql`created_at`, order: 'desc' } },
    key: sql`kid`,
  })
  return { ...page, items: page.items.map((row) => inLanguage(row, language)) }
}

const inLanguage = <Row extends Parameters<typeof namesOf>[0] & Parameters<typeof messageOf>[0]>(
  row: Row,
  language: Language,
) => ({ ...row, ...namesOf(row, language), message: messageOf(row, language) })

/** One row with everything. Another account's is `not_found`. */
export async function get(ctx: Ctx, whose: Whose, kid: string) {
  const row = await rowsOf(ctx, whose)
    .select([...listed, 'client', 'request', 'response', 'tracks', 'remark'])
    .select((eb) => [operatorsAccount(eb, 'kid'), operatorsAccount(eb, 'name')])
    .where('kid', '=', kid)
    .executeTakeFirst()
  if (!row) return refuse('not_found')
  // The JSON columns are as http/operation-log wrote them.
  const { language } = ctx.request
  const recorded = inLanguage(row, language) as unknown as Omit<Recorded, 'tracks'> & { tracks: Track[] }
  const found = described({ ...recorded, tracks: recorded.tracks.map((track) => trackOf(track, language)) })
  const is_limited = whose === 'account' && ctx.visible_groups !== undefined
  return is_limited && found.operator_kid !== ctx.user.kid ? withinVisibleGroups(ctx, found) : found
}

/** The account that the operator belongs to, which is not the one acted for where an operator has entered a customer. */
const operatorsAccount = <K extends 'kid' | 'name'>(eb: ExpressionBuilder<Tables, 'operation_log'>, column: K) =>
  eb
    .selectFrom('user_account as u')
    .innerJoin('account as a', 'a.kid', 'u.account_kid')
    .select(`a.${column} as it`)
    .whereRef('u.kid', '=', 'operation_log.operator_kid')
    .as(`operator_enterprise_${column}`)

type Recorded = Omit<Answer<Calls['get']>, 'detail' | 'operator_picture'>
const described = <R extends Recorded>(row: R) => ({
  ...row,
  operator_picture: pictureOf(row),
  detail: detailOf(row.tracks, row.response.content),
})

/** Of what others did only what is about devices in reach: what they sent and were answered may name any. */
async function withinVisibleGroups<R extends Recorded>(
  { deps, account_kid, visible_groups }: Actor,
  row: R,
): Promise<Answer<Calls['get']>> {
  const { rows } = await sql<{ kid: string }>`
    SELECT t ->> 'kid' AS kid FROM ${touching(sql`${JSON.stringify(row.tracks)}::jsonb`, { account_kid, visible_groups })}`.execute(
    deps.db,
  )
  const kids = new Set(rows.map(({ kid }) => kid))
  return described({
    ...row,
    tracks: row.tracks.filter(({ kid }) => kids.has(kid)),
    request: { ...row.request, content: '' },
    response: { content: '' },
    remark: '',
  })
}

/**
 * Who may be chosen: the people of the account, or of every account; for a user limited to groups, whoever is found in what
 * that user may read.
 */
export const listOperators = (actor: Actor, whose: Whose, { text }: In<Calls['list_operator']>) => {
  if (whose === 'everything') return operators(actor.deps.db, text)
  return actor.visible_groups ? namedOperators(actor, text) : operators(actor.scope, text)
}

const namedOperators = (actor: Actor, text: string | undefined) =>
  rowsOf(actor, 'account')
    .select(['operator_kid', 'operator_name', 'operator_username'])
    .distinct()
    .where('operator_kid', 'is not', null)
    .$if(Boolean(text), (q) => q.where('search', 'like', containing(text!)))
    .orderBy('operator_name')
    .orderBy('operator_kid')
    .limit(operators_max)
    .$narrowType<{ operator_kid: string }>()
    .execute()

const operators = (db: Kysely<Tables>, text: string | undefined) =>
  db
    .selectFrom('user_account')
    .select(['kid as operator_kid', 'name as operator_name', 'username as operator_username'])
    .$if(Boolean(text), (q) =>
      q.where((eb) =>
        eb.or([eb(sql`lower(name)`, 'like', containing(text!)), eb(sql`lower(username)`, 'like', containing(text!))]),
      ),
    )
    .orderBy(sql`lower(name)`)
    .orderBy('kid')
    .limit(operators_max)
    .execute()

/** The table is the provider's as well as the tenants', so no scope guards it: this does. */
const rowsOf = ({ deps, account_kid, visible_groups, user }: Actor, whose: Whose) =>
  deps.db
    .selectFrom('operation_log')
    .$if(whose === 'account', (q) => q.where('account_kid', '=', account_kid))
    .$if(whose === 'account' && visible_groups !== undefined, (q) => {
      const tracks = sql`operation_log.tracks`
      return q.where((eb) =>
        eb.or([
          eb('operator_kid', '=', user.kid),
          sql<boolean>`EXISTS (SELECT 1 FROM ${touching(tracks, { account_kid, visible_groups })})`,
        ]),
      )
    })

const listed = [
  'kid',
  'module_code',
  'action_code',
  'operator_kid',
  'operator_name',
  'operator_username',
  'account_kid',
  'account_name',
  'ip',
  'result',
  'message',
  'message_details',
  'duration_ms',
  'created_at',
] as const

const daysBefore = (at: Date): Date => new Date(at.getTime() - searchedDays * 24 * 3_600_000)
