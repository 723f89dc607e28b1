import { customFieldWhereKinds, serialNumber, whereFields, whereValue } from '@mdm/contract'
import type { CustomField, WhereCondition, WhereField } from '@mdm/contract'
import { expressionBuilder, sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import { comparesVersion } from '../installed-app/index.ts'

type Sql = RawBuilder<boolean>
type Value = WhereCondition['value']
/** One condition in SQL, and which of the two tables it needs. */
export type Compiled = { sql: Sql; table: 'terminal' | 'terminal_state' }
/** What has to be known before conditions can be SQL. */
export type Known = {
  now: Date
  fields: readonly CustomField[]
  /** Of every group that is named: itself and all below it. */
  subtrees: ReadonlyMap<string, readonly string[]>
}

const day_ms = 86_400_000
/** A trigram index has something to go by from so many characters on. */
const trigram = 3
const never = sql<boolean>`false`
/** Also true where the answer is unknown: what has no value is not that value. */
const not = (condition: Sql): Sql => sql<boolean>`(${condition}) is not true`
export const textArray = (values: readonly string[]) => sql<string[]>`${values}::text[]`
const literal = (text: string): string => text.replace(/[\\%_]/g, '\\$&')
const columnOf: Record<WhereField, RawBuilder<unknown>> = {
  sn: sql`terminal.sn`,
  name: sql`terminal.name`,
  imei: sql`coalesce(terminal.imei, '')`,
  model: sql`terminal.model`,
  os_version: sql`terminal.os_version`,
  uid: sql`terminal.uid`,
  // A range may have fractions, which no bigint is compared with.
  version_code: sql`terminal.version_code::numeric`,
  ver: sql`terminal.ver::numeric`,
  terminal_group_kid: sql`terminal.terminal_group_kid`,
  tags: sql`terminal.tags`,
  app: sql`terminal.kid`,
  registered_at: sql`terminal.registered_at`,
  network_type: sql`terminal_state.network_type`,
  is_online: sql`terminal_state.is_online`,
  is_metered: sql`terminal_state.is_metered`,
  is_roaming: sql`terminal_state.is_roaming`,
  has_foreground_app: sql`terminal_state.has_foreground_app`,
  battery_level: sql`terminal_state.battery_level`,
  signal: sql`terminal_state.signal`,
  last_online_at: sql`terminal_state.last_online_at`,
}
const of_state = new Set<WhereField>([
  'network_type',
  'is_online',
  'is_metered',
  'is_roaming',
  'has_foreground_app',
  'battery_level',
  'signal',
  'last_online_at',
])

export function compile(condition: WhereCondition, known: Known): Compiled {
  const { field } = condition
  if (field === 'custom_field') return { sql: ofCustomField(condition, known), table: 'terminal' }
  return { sql: ofField(field, condition, known), table: of_state.has(field) ? 'terminal_state' : 'terminal' }
}

function ofField(field: WhereField, { op, value }: WhereCondition, known: Known): Sql {
  const column = columnOf[field]
  if (field === 'signal' && op === 'between') return signalBetween(value as Range)
  if (field === 'last_online_at') return ofLastContact(op, value, known.now)
  switch (whereFields[field]) {
    case 'text':
      return ofText(column, op, value)
    case 'choice':
      return ofChoice(column, op, value)
    case 'number':
      return ofNumber(column, op, value)
    case 'time':
      return ofTime(column, op, value, known.now)
    case 'yes_no':
      // As the indexes have it: no comparison with true.
      return value === true ? sql<boolean>`${column}` : sql<boolean>`not ${column}`
    case 'tags':
      return ofTags(op, value)
    case 'group':
      return ofGroup(op, value as string[], known)
    case 'app':
      return ofApp(op, value as AppValue)
  }
}

/** Through the trigram index over SN, alias and IMEI together, then exactly by the one that is meant. */
function ofText(column: RawBuilder<unknown>, op: string, value: Value): Sql {
  if (op === 'is_empty') return sql<boolean>`${column} = ''`
  if (op === 'is_filled') return sql<boolean>`${column} <> ''`
  const text = literal(value as string)
  const own: Record<string, Sql> = {
    is: sql<boolean>`lower(${column}) = lower(${value})`,
    starts_with: sql<boolean>`lower(${column}) like lower(${`${text}%`})`,
    contains: sql<boolean>`lower(${column}) like lower(${`%${text}%`})`,
  }
  if (op === 'is_not') return not(own['is']!)
  return [...(value as string)].length < trigram
    ? own[op]!
    : sql<boolean>`(${contains(value as string)} and ${own[op]!})`
}

/**
 * Part of SN, alias or IMEI, through the trigram index. Fewer than three characters make no trigram in the middle of
 * a word, but two do where a word begins: so short texts match only there.
 */
export function contains(text: string): Sql {
  const escaped = literal(text)
  if ([...text].length >= trigram) return sql<boolean>`terminal.search like lower(${`%${escaped}%`})`
  return sql<boolean>`(terminal.search like lower(${`${escaped}%`}) or terminal.search like lower(${`% ${escaped}%`}))`
}

/** As people paste them. */
export const isAnySn = (sns: readonly string[]): Sql =>
  sql<boolean>`terminal.sn = any(${textArray(sns.map(serialNumber))})`

function ofChoice(column: RawBuilder<unknown>, op: string, value: Value): Sql {
  if (op === 'is_empty') return sql<boolean>`coalesce(${column}, '') = ''`
  if (op === 'is_filled') return sql<boolean>`${column} <> ''`
  const values = value as string[]
  // One value is an equality, which keeps the order of the index.
  const is =
    values.length === 1 ? sql<boolean>`${column} = ${values[0]}` : sql<boolean>`${column} = any(${textArray(values)})`
  return op === 'is_one_of' ? is : not(is)
}

type Range = { min: number; max: number }
function ofNumber(column: RawBuilder<unknown>, op: string, value: Value): Sql {
  if (op === 'is_empty') return sql<boolean>`${column} is null`
  if (op === 'is_filled') return sql<boolean>`${column} is not null`
  const { min, max } = value as Range
  return sql<boolean>`${column} between ${min} and ${max}`
}

type AppValue = { package: string; version?: string; version_code?: number }
const query = expressionBuilder<Tables, 'terminal'>()
/** As a query of its own, which the scope of the whole limits too. */
function ofApp(op: string, { package: name, version = '', version_code }: AppValue): Sql {
  const on = query
    .selectFrom('terminal_app')
    .select('terminal_app.terminal_kid')
    .where('terminal_app.package', '=', name)
  const compared = ({ is_below: '<', is_at_least: '>=' } as const)[op]
  const key = sql.ref('terminal_app.version_key')
  const code = sql.ref('terminal_app.version_code')
  const devices = compared
    ? on.where(comparesVersion({ code, key }, compared, { code: version_code, name: version }))
    : op === 'is_version'
      ? on
          .where('terminal_app.version', '=', version)
          .$if(version_code !== undefined, (q) => q.where(sql<boolean>`coalesce(${code} = ${version_code}, true)`))
      : on
  const is = sql<boolean>`terminal.kid in ${devices}`
  return op === 'is_not_installed' ? not(is) : is
}

/** The index `terminal_state_signal` has the signal in steps of ten. */
const signalBetween = ({ min, max }: Range): Sql =>
  sql<boolean>`(terminal_state.signal_tens between ${Math.floor(min / 10)} and ${Math.floor(max / 10)}
    and terminal_state.signal between ${min} and ${max})`

function ofTime(column: RawBuilder<unknown>, op: string, value: Value, now: Date): Sql {
  if (op === 'is_empty') return sql<boolean>`${column} is null`
  if (op === 'is_filled') return sql<boolean>`${column} is not null`
  const at = typeof value === 'number' ? new Date(now.getTime() - value * day_ms) : new Date(value as string)
  return op === 'before' || op === 'older_than' ? sql<boolean>`${column} < ${at}` : sql<boolean>`${column} >= ${at}`
}

/** Of a device that is online the column says since when; its last contact is now. */
function ofLastContact(op: string, value: Value, now: Date): Sql {
  const column = columnOf.last_online_at
  const stored = ofTime(column, op, value, now)
  if (op === 'before' || op === 'older_than') return sql<boolean>`(not terminal_state.is_online and ${stored})`
  return op === 'after' || op === 'within' ? sql<boolean>`(terminal_state.is_online or ${stored})` : stored
}

function ofTags(op: string, value: Value): Sql {
  if (op === 'is_empty') return sql<boolean>`terminal.tags = '{}'`
  if (op === 'is_filled') return sql<boolean>`terminal.tags <> '{}'`
  const tags = textArray(value as string[])
  if (op === 'has_all') return sql<boolean>`terminal.tags @> ${tags}`
  const any = sql<boolean>`terminal.tags && ${tags}`
  return op === 'has_any' ? any : not(any)
}

function ofGroup(op: string, wanted: string[], { subtrees }: Known): Sql {
  const kids = wanted.flatMap((kid) => subtrees.get(kid) ?? [])
  const column = columnOf.terminal_group_kid
  const within = sql<boolean>`${column} = any(${kids}::uuid[])`
  const is = wanted.includes('NO_GROUP') ? sql<boolean>`(${column} is null or ${within})` : within
  return op === 'is_within' ? is : not(is)
}

/**
 * Every answer begins with the index: which devices have this value, or have the field at all. Nothing has a field
 * that does not exist, nor can a field be asked what its kind does not know.
 */
function ofCustomField({ custom_field_kid, op, value }: WhereCondition, { fields, now }: Known): Sql {
  const field = fields.find(({ kid }) => kid === custom_field_kid)
  if (!field) return never
  const { kid } = field
  const kind = customFieldWhereKinds[field.kind]
  if (!whereValue(kind, op)?.safeParse(value).success) return never
  const has = sql<boolean>`terminal.fields ? ${kid}::text`
  const holds = (wanted: unknown) => sql<boolean>`terminal.fields @> ${JSON.stringify({ [kid]: wanted })}::jsonb`
  const own = sql`(terminal.fields ->> ${kid}::text)`
  const within = (condition: Sql) => sql<boolean>`(${has} and ${condition})`
  if (op === 'is_empty') return not(has)
  if (op === 'is_filled') return has
  switch (kind) {
    case 'text':
      if (op === 'is' || op === 'is_not') return op === 'is' ? holds(value) : not(holds(value))
      return within(
        sql<boolean>`lower(${own}) like lower(${`${op === 'contains' ? '%' : ''}${literal(value as string)}%`})`,
      )
    case 'choice': {
      const any = sql<boolean>`(${sql.join((value as string[]).map(holds), sql` or `)})`
      return op === 'is_one_of' ? any : not(any)
    }
    case 'number':
      return within(ofNumber(sql`${own}::numeric`, op, value))
    case 'date':
      return within(ofDate(sql`${own}::date`, op, value, now))
    case 'yes_no':
      return holds(value)
  }
}

/** A day is compared with days: `within` is of both sides, for what is due soon as well as for what has just been. */
function ofDate(column: RawBuilder<unknown>, op: string, value: Value, now: Date): Sql {
  if (op === 'before') return sql<boolean>`${column} < ${value}::date`
  if (op === 'after') return sql<boolean>`${column} > ${value}::date`
  const today = sql`${now.toISOString().slice(0, 10)}::date`
  const days = sql`${value}::integer`
  if (op === 'older_than') return sql<boolean>`${column} < ${today} - ${days}`
  return sql<boolean>`${column} between ${today} - ${days} and ${today} + ${days}`
}
