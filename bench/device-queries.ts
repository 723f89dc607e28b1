// The cases of P4, and for each the statements that somebody who knows the tables would write by hand.
import type { Contract, Sent } from '@mdm/contract'
import type pg from 'pg'

type Input = Sent<Contract['terminal']['calls']['paging']>
type Sort = NonNullable<Input['sort']>
export type Case = { name: string; input: Input; depth: Depth }
type Depth = 'first' | 'page 500' | 'half' | 'nulls'
type Groups = { top: string; leaf: string }

const sorts: Record<Sort, string> = {
  sn: 't.sn',
  name: 't.name',
  model: 't.model',
  os_version: 't.os_version',
  registered_at: 't.registered_at',
  last_online_at: 's.last_online_at',
  battery_level: 's.battery_level',
}
const orders = ['asc', 'desc'] as const
const ofState = (sort: Sort | undefined) => sort === 'last_online_at' || sort === 'battery_level'

/** Every sort both ways at every depth, every filter, and the combinations that a console sends. */
export function casesOf({ top, leaf }: Groups): Case[] {
  const sorted = (Object.keys(sorts) as Sort[]).flatMap((sort) =>
    orders.flatMap((order) => [
      named({ sort, order }, 'first'),
      named({ sort, order }, 'half'),
      ...(ofState(sort) ? [named({ sort, order }, 'nulls')] : []),
    ]),
  )
  const filters: Input[] = [
    { is_online: true },
    { is_online: false },
    { model: 'Model A' },
    { model: 'Model T' },
    { os_version: '14.1' },
    { os_version: '8.2' },
    { terminal_group_kid: top },
    { terminal_group_kid: leaf },
    { terminal_group_kid: 'NO_GROUP' },
    { text: 'ti' },
    { text: 'till' },
    { text: 'kho hà nội 2' },
    { text: '00077' },
    { text: '350000000777' },
    { text: 'nothing like it' },
    { foreground_state: 1 },
    { foreground_state: 2 },
    { metered: 1 },
    { metered: 2 },
    { roaming: 1 },
    { roaming: 2 },
    { battery: { min: 3, max: 4 } },
    { battery: { min: 0, max: 60 } },
    { signal: { min: -33, max: -32 } },
    { signal: { min: -85, max: -40 } },
    { location_fence_status: 0 },
    { location_fence_status: 1 },
    { location_fence_status: 2 },
    { tag: 'vip' },
    { tag: 'lab' },
  ]
  const combined: Input[] = [
    { is_online: true, model: 'Model A' },
    { is_online: false, os_version: '8.2' },
    { model: 'Model B', os_version: '14.1', is_online: true },
    { terminal_group_kid: top, is_online: true },
    { terminal_group_kid: leaf, model: 'Model T' },
    { terminal_group_kid: 'NO_GROUP', is_online: false },
    { terminal_group_kid: top, text: 'till' },
    { text: 'scanner', is_online: true },
    { text: 'kiosk', model: 'Model C' },
    { roaming: 2, is_online: false },
    { metered: 2, battery: { min: 0, max: 20 } },
    { location_fence_status: 2, is_online: true, model: 'Model A' },
    { terminal_group_kid: top, tag: 'vip' },
  ]
  const crossed: Input[] = [
    { is_online: true, sort: 'sn', order: 'asc' },
    { is_online: true, sort: 'battery_level', order: 'asc' },
    { is_online: false, sort: 'last_online_at', order: 'desc' },
    { model: 'Model A', sort: 'name', order: 'asc' },
    { model: 'Model T', sort: 'battery_level', order: 'asc' },
    { model: 'Model T', sort: 'last_online_at', order: 'desc' },
    { os_version: '8.2', sort: 'sn', order: 'asc' },
    { terminal_group_kid: top, sort: 'sn', order: 'asc' },
    { terminal_group_kid: top, sort: 'battery_level', order: 'desc' },
    { terminal_group_kid: leaf, sort: 'name', order: 'asc' },
    { terminal_group_kid: 'NO_GROUP', sort: 'model', order: 'asc' },
    { text: 'till', sort: 'sn', order: 'asc' },
    { text: '350000000777', sort: 'battery_level', order: 'asc' },
    { location_fence_status: 2, sort: 'sn', order: 'asc' },
    { metered: 2, sort: 'last_online_at', order: 'desc' },
    { tag: 'vip', sort: 'name', order: 'asc' },
  ]
  return [
    ...sorted,
    ...filters.map((input) => named(input, 'first')),
    ...combined.map((input) => named(input, 'first')),
    ...crossed.map((input) => named(input, 'first')),
    named({ sort: 'registered_at', order: 'desc' }, 'page 500'),
    named({ sort: 'name', order: 'asc' }, 'page 500'),
    named({ sort: 'battery_level', order: 'asc' }, 'page 500'),
    named({ is_online: true }, 'half'),
    named({ model: 'Model A' }, 'half'),
    named({ terminal_group_kid: top }, 'half'),
    named({ is_online: true, sort: 'last_online_at', order: 'desc' }, 'half'),
  ]

  function named(input: Input, depth: Depth): Case {
    const { sort = 'registered_at', order = 'desc', ...asked } = input
    const values = Object.entries(asked).map(([key, value]) => {
      if (key === 'is_online') return value ? 'online' : 'offline'
      if (typeof value === 'object') return `${key} ${Object.values(value).join(' to ')}`
      if (typeof value === 'number') return `${key} ${value}`
      return value === top ? 'group with 40 below' : value === leaf ? 'one group' : String(value)
    })
    const name = `${values.join(' + ') || 'all'} by ${sort} ${order}${depth === 'first' ? '' : `, ${depth}`}`
    return { name, input: { ...input, sort, order, ...(depth === 'page 500' ? { page: 500 } : {}) }, depth }
  }
}

/** The statements of one case. `after`: the last row of the page before, from `positionAt`. */
export type Statement = { text: string; values: unknown[] }
type Position = { value: string | null; kid: string }
export type Bare = { page: Statement; total: Statement }

const row_columns = `t.kid, t.sn, t.name, t.model, t.os_name, t.os_version, t.terminal_group_kid, g.name AS terminal_group_name,
  s.is_online, s.last_online_at, t.registered_at, s.battery_level, s.battery_charging, s.network_type, s.signal`
const both = `terminal t JOIN terminal_state s ON s.terminal_kid = t.kid`
const page_size = 20

export function bareOf(account_kid: string, { input, depth }: Case, after?: Position): Bare {
  const { sort = 'registered_at', order = 'desc' } = input
  const where = conditions(account_kid, input)
  const key = ofState(sort) ? 's.terminal_kid' : 't.kid'
  const page = conditions(account_kid, input)
  if (after) page.texts.push(beyond(sorts[sort], key, order, after, page.value))
  return {
    page: {
      text: `SELECT ${row_columns} FROM ${both} LEFT JOIN terminal_group g ON g.kid = t.terminal_group_kid
        WHERE ${page.texts.join(' AND ')} ORDER BY ${sorts[sort]} ${order}, ${key} ${order}
        LIMIT ${page_size + 1} OFFSET ${depth === 'page 500' ? 499 * page_size : 0}`,
      values: page.values,
    },
    total: totalOf(account_kid, input, where),
  }
}

type Where = { texts: string[]; values: unknown[]; value(v: unknown): string }
function conditions(account_kid: string, input: Input): Where {
  const values: unknown[] = []
  const value = (v: unknown) => `$${values.push(v)}`
  const account = value(account_kid)
  const texts = [`t.account_kid = ${account}`, `s.account_kid = ${account}`]
  const { is_online, model, os_version, terminal_group_kid: group, text } = input
  if (is_online !== undefined) texts.push(is_online ? 's.is_online' : 'NOT s.is_online')
  if (model !== undefined) texts.push(`t.model = ${value(model)}`)
  if (os_version !== undefined) texts.push(`t.os_version = ${value(os_version)}`)
  const { foreground_state, metered, roaming, battery, signal, location_fence_status: fence, tag } = input
  const flag = (column: string, state: number | undefined) =>
    state !== undefined && texts.push(state === 2 ? `s.${column}` : `NOT s.${column}`)
  flag('has_foreground_app', foreground_state)
  flag('is_metered', metered)
  flag('is_roaming', roaming)
  if (battery) texts.push(`s.battery_level BETWEEN ${value(battery.min)} AND ${value(battery.max)}`)
  if (signal)
    texts.push(
      `s.signal_tens BETWEEN ${value(Math.floor(signal.min / 10))} AND ${value(Math.floor(signal.max / 10))}`,
      `s.signal BETWEEN ${value(signal.min)} AND ${value(signal.max)}`,
    )
  if (fence === 0) texts.push('s.fence_state IS NULL')
  else if (fence !== undefined) texts.push(`s.fence_state = ${value(fence === 1 ? 'inside' : 'outside')}`)
  if (tag !== undefined) texts.push(`t.tags && ARRAY[${value(tag)}]`)
  if (group === 'NO_GROUP') texts.push('t.terminal_group_kid IS NULL')
  else if (group) texts.push(`t.terminal_group_kid = ANY (ARRAY(${below(value(group))}))`)
  if (text && text.length >= 3) texts.push(`t.search LIKE ${value(`%${text}%`)}`)
  else if (text) texts.push(`(t.search LIKE ${value(`${text}%`)} OR t.search LIKE ${value(`% ${text}%`)})`)
  return { texts, values, value }
}
const below = (group: string) => `WITH RECURSIVE b AS (SELECT ${group}::uuid AS kid UNION ALL
  SELECT c.kid FROM terminal_group c JOIN b ON c.parent_kid = b.kid) SELECT kid FROM b`

/** Counters where nothing but a group is asked for, as the product has them; else exact up to 10,000. */
function totalOf(account_kid: string, input: Input, where: Where): Statement {
  const { terminal_group_kid: group, sort: _sort, order: _order, page: _page, ...asked } = input
  const in_all = `SELECT terminal_count FROM account WHERE kid = $1`
  const in_groups = (which: string) => `SELECT COALESCE(sum(terminal_count), 0) FROM terminal_group WHERE ${which}`
  if (Object.keys(asked).length === 0) {
    if (group === 'NO_GROUP')
      return { text: `SELECT (${in_all}) - (${in_groups('account_kid = $1')}) AS n`, values: [account_kid] }
    if (group) return { text: `SELECT (${in_groups(`kid = ANY (ARRAY(${below('$1')}))`)}) AS n`, values: [group] }
    return { text: `SELECT (${in_all}) AS n`, values: [account_kid] }
  }
  const has_state = where.texts.some((text) => /^(NOT )?s\.(?!account_kid)/.test(text))
  const texts = has_state ? where.texts : where.texts.filter((t) => !t.startsWith('s.'))
  const text_ = `SELECT count(*) AS n FROM (SELECT FROM ${has_state ? both : 'terminal t'} WHERE ${texts.join(' AND ')} LIMIT 10001) m`
  return { text: text_, values: where.values }
}

/** Nulls come last going up and first going down. */
function beyond(column: string, key: string, order: 'asc' | 'desc', { value, kid }: Position, v: Where['value']) {
  const sign = order === 'asc' ? '>' : '<'
  if (value !== null) return `(${column}, ${key}) ${sign} (${v(value)}, ${v(kid)})`
  return order === 'asc' ? `${column} IS NULL AND ${key} > ${v(kid)}` : `${column} IS NULL AND ${key} < ${v(kid)}`
}

/** A row half way through the list of a case, or half way through its nulls. */
export async function positionAt(client: pg.Client, account_kid: string, { input, depth }: Case) {
  const { sort = 'registered_at', order = 'desc' } = input
  const { texts, values } = conditions(account_kid, input)
  texts.push(`${sorts[sort]} IS ${depth === 'nulls' ? '' : 'NOT '}NULL`)
  const { rows } = await client.query<Position>(
    `SELECT value::text AS value, kid FROM (
       SELECT ${sorts[sort]} AS value, t.kid, row_number() OVER (ORDER BY ${sorts[sort]} ${order}, t.kid ${order}) AS place, count(*) OVER () AS n
       FROM ${both} WHERE ${texts.join(' AND ')}) ranked
     WHERE place = n / 2`,
    values,
  )
  return rows[0]!
}

export async function runBare(client: pg.Client, { page, total }: Bare) {
  const [rows, counted] = await Promise.all([client.query<{ kid: string }>(page), client.query<{ n: string }>(total)])
  return { kids: rows.rows.slice(0, page_size).map((r) => r.kid), n: Number(counted.rows[0]!.n) }
}
