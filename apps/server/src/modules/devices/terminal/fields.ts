import { fieldFaultsOf, fieldValueOf, tagLimits } from '@mdm/contract'
import type { Contract, In } from '@mdm/contract'
import { sql } from 'kysely'
import type { ExpressionBuilder, Kysely } from 'kysely'
import type { Actor } from '../../../actor.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { violation } from '../../../db/violations.ts'
import { Refusal, refuse } from '../../../refusal.ts'
import { list as listFields } from '../../fleet/custom-field/index.ts'
import { lockAccount } from '../../../db/lock-account.ts'
import { anyOf, forTargets, textArray } from '../../fleet/terminal-filter/index.ts'

type Input = In<Contract['terminal']['calls']['update_fields']>
type Db = Kysely<Tables>
type Change = Pick<Input, 'fields' | 'tags'>

const tagged = (eb: ExpressionBuilder<Tables, 'terminal_tag'>) =>
  eb
    .selectFrom('terminal')
    .select('terminal.kid')
    .where(sql<boolean>`terminal.tags @> array[terminal_tag.name]`)

/** The tags that a device within reach has, of all that the account ever used. */
export async function listTags({ scope }: Actor): Promise<string[]> {
  const rows = await scope
    .selectFrom('terminal_tag')
    .select('terminal_tag.name')
    .where((eb) => eb.exists(tagged(eb)))
    .orderBy(sql`lower(terminal_tag.name)`)
    .execute()
  return rows.map(({ name }) => name)
}

/** Gives devices values and tags, and takes others away. How many devices it was. */
export async function updateFields(actor: Actor, { kid, terminal_kids, match, ...change }: Input): Promise<number> {
  const { deps, scope, account_kid } = actor
  await assertValues(scope, change.fields)
  if (change.tags.add.length > 0) await forgetUnusedTags(actor)
  const updated = await violation(
    () =>
      forTargets(
        actor,
        { terminal_kids: kid === undefined ? terminal_kids : [kid], match },
        (trx, kids) => write(trx, account_kid, kids, change),
        { before: (kids) => assertRoom(scope, kids, change) },
      ),
    { terminal_tags_max: 'device_tags_limit' },
  )
  deps.live.publish(account_kid, { type: 'terminal_list_changed' })
  return updated
}

async function assertValues(scope: Db, values: Change['fields']): Promise<void> {
  if (Object.keys(values).length === 0) return
  const fields = new Map((await listFields(scope)).map((field) => [field.kid, field]))
  for (const [kid, value] of Object.entries(values)) {
    const field = fields.get(kid) ?? refuse('custom_field_unknown')
    const error = value === null ? undefined : fieldValueOf(field).safeParse(value).error
    if (!error) continue
    const [fault = { name: 'invalid' as const }] = Object.values(fieldFaultsOf(error, value))
    throw new Refusal('custom_field_value_wrong', { name: field.name }, { [`fields.${kid}`]: fault })
  }
}

async function write(trx: Db, account_kid: string, kids: readonly string[], { fields, tags }: Change): Promise<number> {
  await lockAccount(trx, account_kid)
  const entries = Object.entries(fields)
  const given = Object.fromEntries(entries.filter(([, value]) => value !== null))
  const gone = entries.flatMap(([kid, value]) => (value === null ? [kid] : []))
  const add = await spelled(trx, account_kid, tags.add)
  const done = await trx
    .updateTable('terminal')
    .set({
      fields: sql`(terminal.fields - ${textArray(gone)}) || ${JSON.stringify(given)}::jsonb`,
      tags: tagsAfter(add, tags.remove),
    })
    .where('kid', '=', anyOf(kids))
    .executeTakeFirst()
  return Number(done.numUpdatedRows)
}

/** In the order of their letters, each once. */
const tagsAfter = (add: readonly string[], remove: readonly string[]) =>
  sql<string[]>`array(
    select distinct tag from unnest(terminal.tags || ${textArray(add)}) as tag
    where tag <> all(${textArray(remove)}) order by tag)`

/** The check of the column decides; this is so that of devices that match none is changed before one is full. */
async function assertRoom(scope: Db, kids: readonly string[], { tags }: Change): Promise<void> {
  if (tags.add.length === 0) return
  const full = await scope
    .selectFrom('terminal')
    .select('kid')
    .where('kid', '=', anyOf(kids))
    .where(sql<number>`cardinality(${tagsAfter(tags.add, tags.remove)})`, '>', tagLimits.of_device)
    .executeTakeFirst()
  if (full) refuse('device_tags_limit')
}

/**
 * Makes room when the account has nearly as many tags as it may have. Asks all its devices, not only those that a user
 * limited to groups can see.
 */
async function forgetUnusedTags({ deps, account_kid }: Actor): Promise<void> {
  const whole = deps.scope(account_kid)
  const { n } = await whole
    .selectFrom('terminal_tag')
    .select(sql<number>`count(*)::int`.as('n'))
    .executeTakeFirstOrThrow()
  if (n <= tagLimits.of_account - tagLimits.of_device) return
  await whole.transaction().execute(async (trx) => {
    await lockAccount(trx, account_kid)
    await trx
      .deleteFrom('terminal_tag')
      .where((eb) => eb.not(eb.exists(tagged(eb))))
      .execute()
  })
}

/** As the account has always spelled them: 'vip' is the tag 'VIP' that is there. New ones are remembered. */
async function spelled(trx: Db, account_kid: string, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return []
  const known = await trx.selectFrom('terminal_tag').select('name').execute()
  const spelling = new Map(known.map(({ name }) => [name.toLowerCase(), name]))
  const fresh: string[] = []
  for (const name of names) {
    if (spelling.has(name.toLowerCase())) continue
    spelling.set(name.toLowerCase(), name)
    fresh.push(name)
  }
  const max = tagLimits.of_account
  if (fresh.length > 0) {
    if (known.length + fresh.length > max) refuse('account_tags_limit', { max })
    await trx
      .insertInto('terminal_tag')
      .values(fresh.map((name) => ({ account_kid, name })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
  return names.map((name) => spelling.get(name.toLowerCase())!)
}
