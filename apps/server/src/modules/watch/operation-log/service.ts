import type { Answer, ChangeDetails, Contract, In, Language, PushDifference, PushFacts } from '@mdm/contract'
import { sql } from 'kysely'
import type { ExpressionBuilder, Kysely } from 'kysely'
import { containing, readPage } from '../../../db/paging.ts'
import { zoneOfUser } from '../../../db/zone-of-user.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Actor } from '../../../actor.ts'
import type { Ctx, Track } from '../../../http/context.ts'
import { refuse } from '../../../refusal.ts'
import { detailOf, pictureOf } from './describe.ts'
import { touching } from './operators-scope.ts'
import { actionsNamed, messageOf, namesOf, resultsSaying, trackOf } from './names.ts'
import type { Reader } from './names.ts'

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
  const reader = await readerOf(ctx)
  const { text, object_kid, module_code, action_code, operator_kid, result, to } = input
  const from = input.from
    ? new Date(input.from)
    : (text ?? object_kid)
      ? daysBefore(to ? new Date(to) : ctx.deps.clock.now())
      : undefined
  const tracks = visibleTracks(ctx, whose)
  const query = rowsOf(ctx, whose)
    .select(listed)
    .select(tracks.as('tracks'))
    .$if(from !== undefined, (q) => q.where('created_at', '>=', from!))
    .$if(to !== undefined, (q) => q.where('created_at', '<=', new Date(to!)))
    .$if(Boolean(module_code), (q) => q.where('module_code', '=', module_code!))
    .$if(Boolean(action_code), (q) => q.where('action_code', '=', action_code!))
    .$if(operator_kid !== undefined, (q) => q.where('operator_kid', '=', operator_kid!))
    .$if(result !== undefined, (q) => q.where('result', result === 'success' ? '=' : '!=', 1))
    .$if(object_kid !== undefined, (q) =>
      q.where(sql<boolean>`${tracks} @> ${JSON.stringify([{ kid: object_kid }])}::jsonb`),
    )
    .$if(Boolean(text), (q) =>
      q.where((eb) =>
        eb.or([
          eb('search', 'like', containing(text!)),
          sql<boolean>`lower(jsonb_path_query_array(${tracks}, '$[*].name')::text) LIKE ${containing(text!)}`,
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
  return {
    ...page,
    items: page.items.map(({ tracks, ...row }) => ({
      ...inLanguage(row, language),
      ...changeIn(tracksFor(ctx, whose, row, tracks), reader),
    })),
  }
}

const readerOf = async ({ deps, user, request: { language } }: Ctx): Promise<Reader> => ({
  language,
  zone: await zoneOfUser(deps.db, user.kid),
})

const objects_max = 3

/** What was changed, and how, as a row of the list says it. */
function changeIn(recorded: readonly Track[], reader: Reader) {
  const tracks = recorded.map((track) => trackOf(track, reader))
  const objects = [
    ...new Map(tracks.map(({ change: _, ...object }) => [`${object.table} ${object.kid}`, object])).values(),
  ]
  const changes = [...new Set(tracks.map(({ change }) => change))]
  return {
    objects: objects.slice(0, objects_max),
    object_count: objects.length,
    change: changes.slice(0, objects_max).join('; '),
  }
}

const inLanguage = <Row extends Parameters<typeof namesOf>[0] & Parameters<typeof messageOf>[0]>(
  row: Row,
  language: Language,
) => ({ ...row, ...namesOf(row, language), message: messageOf(row, language) })

/** One row with everything. Another account's is `not_found`. */
export async function get(ctx: Ctx, whose: Whose, kid: string) {
  const row = await rowsOf(ctx, whose)
    .select([...listed, 'client', 'request', 'response', 'remark'])
    .select(visibleTracks(ctx, whose).as('tracks'))
    .select((eb) => [operatorsAccount(eb, 'kid'), operatorsAccount(eb, 'name')])
    .where('kid', '=', kid)
    .executeTakeFirst()
  if (!row) return refuse('not_found')
  // The JSON columns are as http/operation-log wrote them.
  const reader = await readerOf(ctx)
  const { language } = reader
  const recorded = inLanguage(row, language) as unknown as Recorded
  const tracks = tracksFor(ctx, whose, row, row.tracks)
  const found = {
    ...(isOfOthers(ctx, whose, row) ? withoutContent(recorded) : recorded),
    ...changeIn(tracks, reader),
    tracks: tracks.map((track) => trackOf(track, reader)),
  }
  return { ...found, operator_picture: pictureOf(found), detail: detailOf(found.tracks, found.response.content) }
}

/** The account that the operator belongs to, which is not the one acted for where an operator has entered a customer. */
const operatorsAccount = <K extends 'kid' | 'name'>(eb: ExpressionBuilder<Tables, 'operation_log'>, column: K) =>
  eb
    .selectFrom('user_account as u')
    .innerJoin('account as a', 'a.kid', 'u.account_kid')
    .select(`a.${column} as it`)
    .whereRef('u.kid', '=', 'operation_log.operator_kid')
    .as(`operator_enterprise_${column}`)

type Recorded = Omit<
  Answer<Calls['get']>,
  'detail' | 'operator_picture' | 'tracks' | 'objects' | 'object_count' | 'change'
>

/** What others sent and were answered may name any device. */
const withoutContent = (row: Recorded): Recorded => ({
  ...row,
  request: { ...row.request, content: '' },
  response: { content: '' },
  remark: '',
})

const isLimited = ({ visible_groups }: Actor, whose: Whose) => whose === 'account' && visible_groups !== undefined

const isOfOthers = (actor: Actor, whose: Whose, { operator_kid }: { operator_kid: string | null }) =>
  isLimited(actor, whose) && operator_kid !== actor.user.kid

/** Whom others pushed to may name groups and devices that a user limited to groups does not see. */
const tracksFor = (actor: Actor, whose: Whose, row: { operator_kid: string | null }, tracks: Track[]): Track[] =>
  isOfOthers(actor, whose, row) ? tracks.map(withoutTarget) : tracks

function withoutTarget(track: Track): Track {
  if (track.kind === 'pushed_to') return { ...track, kind: 'pushed' }
  if (track.kind === 'push_changed') {
    const { before, after, others } = (track.details as ChangeDetails<'push_changed'>).difference as PushDifference
    const hidden = (facts: PushFacts): PushFacts => ({ ...facts, target: null })
    return { ...track, details: { difference: { before: hidden(before), after: hidden(after), others } } }
  }
  const push = track.kind === 'push_made' && (track.details as ChangeDetails<'push_made'>).push
  return push ? { ...track, details: { push: { ...(push as PushFacts), target: null } } } : track
}

/** Of what others did, a user limited to groups sees only what is about devices in those. */
const visibleTracks = (actor: Actor, whose: Whose) =>
  isLimited(actor, whose)
    ? sql<Track[]>`CASE WHEN operator_kid = ${actor.user.kid} THEN tracks ELSE
        (SELECT COALESCE(jsonb_agg(DISTINCT t), '[]') FROM ${touching(sql`operation_log.tracks`, actor)}) END`
    : sql<Track[]>`tracks`

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
const rowsOf = (actor: Actor, whose: Whose) =>
  actor.deps.db
    .selectFrom('operation_log')
    .$if(whose === 'account', (q) => q.where('account_kid', '=', actor.account_kid))
    .$if(isLimited(actor, whose), (q) =>
      q.where((eb) =>
        eb.or([
          eb('operator_kid', '=', actor.user.kid),
          sql<boolean>`EXISTS (SELECT 1 FROM ${touching(sql`operation_log.tracks`, actor)})`,
        ]),
      ),
    )

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
