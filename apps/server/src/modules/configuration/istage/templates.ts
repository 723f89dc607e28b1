import { constants } from '@mdm/contract'
import type { Contract, In } from '@mdm/contract'
import type { TemplateJson } from '@mdm/contract/istage/index.ts'
import { sql } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { assertRoom } from '../../../db/at-most.ts'
import { containing, readPage } from '../../../db/paging.ts'
import { violation } from '../../../db/violations.ts'
import { newKid } from '../../../lib/ids.ts'
import { refuse } from '../../../refusal.ts'
import { readTemplate } from './read-file.ts'

type Calls = Contract['istageTemplate']['calls']

/** The accounts whose templates this one sees: its own, and the provider's. */
async function ownersOf({ deps, account_kid }: Actor): Promise<string[]> {
  const rows = await deps.db.selectFrom('account').select('kid').where('type', '=', 101).execute()
  return [...new Set([account_kid, ...rows.map(({ kid }) => kid)])]
}

async function seen(actor: Actor) {
  const owners = await ownersOf(actor)
  return actor.deps.db
    .selectFrom('istage_template')
    .where('account_kid', 'in', owners)
    .select(['kid', 'name', 'type', 'kind', 'version', 'created_by', 'updated_at', 'imported_at'])
    .select([
      sql<boolean>`account_kid = ${actor.account_kid}`.as('is_own'),
      sql<number>`jsonb_array_length(content -> 'modules')`.as('module_count'),
    ])
}

/** Versions sort by their numbers. */
const byVersion = sql`string_to_array(split_part(version, '_', 1), '.')::int[]`

export async function paging(actor: Actor, input: In<Calls['paging']>) {
  const query = await seen(actor)
  return readPage({
    query: query
      .where('deleted_at', 'is', null)
      .$if(input.type !== undefined, (q) => q.where('type', '=', input.type!))
      .$if(input.kind !== undefined, (q) => q.where('kind', '=', input.kind!))
      .$if(Boolean(input.text), (q) =>
        q.where((eb) =>
          eb.or([
            eb(sql`lower(name)`, 'like', containing(input.text!)),
            eb(sql`lower(version)`, 'like', containing(input.text!)),
          ]),
        ),
      ),
    input,
    columns: {
      imported_at: { ref: sql`imported_at`, order: 'desc' },
      updated_at: { ref: sql`updated_at`, order: 'desc' },
      name: { ref: sql`lower(name)` },
      type: { ref: sql`type` },
      version: { ref: byVersion },
    },
    key: sql`kid`,
  })
}

/** A template that the account sees, also one that was deleted: configurations that were made from it show it. */
export async function get(actor: Actor, kid: string) {
  const row = await (
    await seen(actor)
  )
    .select(['content as template', 'deleted_at'])
    .where('kid', '=', kid)
    .executeTakeFirst()
  if (!row) return refuse('not_found')
  const { deleted_at, ...template } = row
  return { ...template, is_deleted: deleted_at !== null }
}

/** @throws `template_deleted` of one that is no longer there to make configurations from */
export async function toUse(actor: Actor, kid: string) {
  const template = await get(actor, kid)
  return template.is_deleted ? refuse('template_deleted') : template
}

/** What the file says, unless its version is there already: among the account's own, or the provider's that it sees. */
export async function importFile(actor: Actor, bytes: Buffer) {
  const { deps, account_kid, scope, user } = actor
  const template: TemplateJson = readTemplate(bytes)
  const { type, kind, version, name } = template
  const query = await seen(actor)
  // Two at once are told apart by the index; one of the provider that comes at the same moment is let pass.
  const same = await query
    .where('type', '=', type)
    .where('version', '=', version)
    .where('deleted_at', 'is', null)
    .limit(1)
    .execute()
  if (same.length > 0) return refuse('template_version_exists')
  const kid = newKid()
  const now = deps.clock.now()
  await violation(
    () =>
      scope.transaction().execute(async (trx) => {
        await assertRoom(trx, account_kid, 'istage_template', ['istage_template_max', constants.istage_templates_max])
        await trx
          .insertInto('istage_template')
          .values({
            kid,
            account_kid,
            type,
            kind,
            version,
            name,
            content: JSON.stringify(template),
            created_by_kid: user.kid,
            created_by: user.name,
            created_at: now,
            updated_at: now,
            imported_at: now,
          })
          .execute()
      }),
    { istage_template_version: 'template_version_exists' },
  )
  deps.live.publish(account_kid, { type: 'istage_changed' })
  return get(actor, kid)
}

/** Removes a template of the account that was deleted while configurations stood on it, once none does. */
export const dropUnused = (trx: Actor['scope'], kid: string): Promise<unknown> =>
  trx
    .deleteFrom('istage_template')
    .where('kid', '=', kid)
    .where('deleted_at', 'is not', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(selectFrom('istage_config as c').select('c.kid').whereRef('c.template_kid', '=', 'istage_template.kid')),
      ),
    )
    .execute()

/**
 * One that configurations were made from stays for them; any other goes. The lock is the one that a new configuration waits for,
 * so that none refers to a row that is gone.
 */
export async function remove({ deps, account_kid }: Actor, kid: string): Promise<{ name: string }> {
  const row = await deps.db.transaction().execute(async (trx) => {
    const found = await trx
      .selectFrom('istage_template')
      .select(['name', 'version'])
      .where('kid', '=', kid)
      .where('account_kid', '=', account_kid)
      .where('deleted_at', 'is', null)
      .forUpdate()
      .executeTakeFirst()
    if (!found) return refuse('not_found')
    const used = await trx.selectFrom('istage_config').select('kid').where('template_kid', '=', kid).limit(1).execute()
    if (used.length === 0) await trx.deleteFrom('istage_template').where('kid', '=', kid).execute()
    else await trx.updateTable('istage_template').set({ deleted_at: deps.clock.now() }).where('kid', '=', kid).execute()
    return found
  })
  deps.live.publish(account_kid, { type: 'istage_changed' })
  return { name: `${row.name} ${row.version}` }
}
