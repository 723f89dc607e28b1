import { createHash } from 'node:crypto'
import { canonicalContent, constants, istage_file_format, istageLimits } from '@mdm/contract'
import type { Contract, FieldFault, In, IstageContent, IstageFileOfConfig } from '@mdm/contract'
import { checkContent } from '@mdm/contract/istage/index.ts'
import type { TemplateJson } from '@mdm/contract/istage/index.ts'
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { assertRoom } from '../../../db/at-most.ts'
import { containing, readPage } from '../../../db/paging.ts'
import { lockAccount } from '../../../db/lock-account.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import { violation } from '../../../db/violations.ts'
import { bytesText } from '../../../lib/bytes.ts'
import { newKid } from '../../../lib/ids.ts'
import { Refusal, refuse } from '../../../refusal.ts'
import { matcher } from './patterns.ts'
import { dropUnused, toUse } from './templates.ts'

type Calls = Contract['istageConfig']['calls']
type Draft = In<Calls['insert']>

const names = {
  istage_config_name: 'duplicate_name',
  istage_config_template_kid_fkey: 'template_deleted',
} as const

/** Rows with what is shown of their templates, which may be the provider's. */
const rows = ({ deps, account_kid }: Actor) =>
  deps.db
    .selectFrom('istage_config as c')
    .innerJoin('istage_template as t', 't.kid', 'c.template_kid')
    .where('c.account_kid', '=', account_kid)
    .select(['c.kid', 'c.name', 'c.description', 'c.type', 'c.version', 'c.template_kid', 'c.status'])
    .select(['c.created_by', 'c.created_at', 'c.updated_at', 't.name as template_name'])
    .select(sql<boolean>`t.deleted_at is not null`.as('is_template_deleted'))

export async function paging(actor: Actor, input: In<Calls['paging']>) {
  return readPage({
    query: rows(actor)
      .$if(input.type !== undefined, (q) => q.where('c.type', '=', input.type!))
      .$if(input.version !== undefined, (q) => q.where('c.version', '=', input.version!))
      .$if(input.status !== undefined, (q) => q.where('c.status', '=', input.status!))
      .$if(Boolean(input.text), (q) => q.where(sql`lower(c.name)`, 'like', containing(input.text!))),
    input,
    columns: {
      updated_at: { ref: sql`c.updated_at`, order: 'desc' },
      created_at: { ref: sql`c.created_at`, order: 'desc' },
      name: { ref: sql`lower(c.name)` },
      type: { ref: sql`c.type` },
      version: { ref: sql`string_to_array(split_part(c.version, '_', 1), '.')::int[]` },
      status: { ref: sql`c.status` },
    },
    key: sql`c.kid`,
  })
}

/** All of a configuration, with the template that it was made from, be it deleted or not. */
export async function get(actor: Actor, kid: string) {
  const row = await rows(actor)
    .select(['c.content', 't.content as template'])
    .where('c.kid', '=', kid)
    .executeTakeFirst()
  return row ?? refuse('not_found')
}

/** One of the account's own that is complete; undefined of any other. */
export const completedConfig = ({ scope }: Actor, kid: string) =>
  scope
    .selectFrom('istage_config')
    .select(['name', 'type', 'version', 'content'])
    .where('kid', '=', kid)
    .where('status', '=', 'completed')
    .executeTakeFirst()

const shown = async (actor: Actor, kid: string) =>
  (await rows(actor).where('c.kid', '=', kid).executeTakeFirst()) ?? refuse('not_found')

/**
 * What is wrong with a content as a whole names the refusal; each place is told beside it.
 * @throws `template_pattern`, `template_items_exceeded`, `bad_input`
 */
function assertContent(template: TemplateJson, content: IstageContent): void {
  const faults = Object.entries(checkContent(template, content, matcher()))
  const fields = Object.fromEntries(
    faults.map(([path, fault]) => [path === '' ? 'private_content' : `private_content.${path}`, fault]),
  )
  const first = (name: FieldFault['name']) => faults.find(([, fault]) => fault.name === name)?.[1]
  const exceeded = first('items_exceeded')
  if (exceeded) throw new Refusal('template_items_exceeded', { max: exceeded.details!['max']! }, fields)
  const shape = first('template_pattern')
  if (shape) throw new Refusal('template_pattern', { pattern: shape.pattern! }, fields)
  if (faults.length > 0) throw new Refusal('bad_input', {}, fields)
}

/** The same for whatever sets the same on devices. */
const hashOf = (type: string, version: string, content: IstageContent): string =>
  createHash('sha256')
    .update(`${type} ${version} ${canonicalContent(content)}`)
    .digest('hex')

/** What is stored of a draft: an incomplete one only has to be kept, a completed one holds to its template. */
async function stored(actor: Actor, draft: Draft) {
  const { name, description, template_kid, private_content: content, status } = draft
  const text = JSON.stringify(content)
  if (Buffer.byteLength(text) > istageLimits.content_bytes)
    refuse('file_too_large', { max: bytesText(istageLimits.content_bytes) })
  const { template, type, version } = await toUse(actor, template_kid)
  if (status === 'completed') assertContent(template, content)
  const content_hash = status === 'completed' ? hashOf(type, version, content) : null
  return { name, description, template_kid, type, version, status, content: text, content_hash }
}

/** @throws `istage_content_exists` with the name of the twin */
async function assertNoTwin(trx: Kysely<Tables>, content_hash: string | null, kid?: string): Promise<void> {
  if (content_hash === null) return
  const twin = await trx
    .selectFrom('istage_config')
    .select('name')
    .where('content_hash', '=', content_hash)
    .$if(kid !== undefined, (q) => q.where('kid', '!=', kid!))
    .executeTakeFirst()
  if (twin) refuse('istage_content_exists', { name: twin.name })
}

const changed = ({ deps, account_kid }: Actor): void => deps.live.publish(account_kid, { type: 'istage_changed' })

/** Two users who add or change one wait for each other, so that no two with the same content are saved. */
async function add(actor: Actor, values: Awaited<ReturnType<typeof stored>>) {
  const { deps, account_kid, scope, user } = actor
  const kid = newKid()
  const now = deps.clock.now()
  const by = { created_by_kid: user.kid, created_by: user.name, created_at: now, updated_at: now }
  await violation(
    () =>
      scope.transaction().execute(async (trx) => {
        await assertRoom(trx, account_kid, 'istage_config', ['istage_config_max', constants.istage_configs_max])
        await assertNoTwin(trx, values.content_hash)
        await trx
          .insertInto('istage_config')
          .values({ kid, account_kid, ...values, ...by })
          .execute()
      }),
    names,
  )
  changed(actor)
  return shown(actor, kid)
}

export const insert = async (actor: Actor, draft: Draft) => add(actor, await stored(actor, draft))

export async function update(actor: Actor, { kid, ...draft }: In<Calls['update']>) {
  const before = await shown(actor, kid)
  if (before.is_template_deleted) return refuse('template_deleted')
  const values = await stored(actor, { ...draft, description: draft.description ?? before.description })
  const { scope, deps, account_kid } = actor
  await violation(
    () =>
      scope.transaction().execute(async (trx) => {
        await lockAccount(trx, account_kid)
        await assertNoTwin(trx, values.content_hash, kid)
        const { numUpdatedRows } = await trx
          .updateTable('istage_config')
          .set({ ...values, updated_at: deps.clock.now() })
          .where('kid', '=', kid)
          .executeTakeFirst()
        if (numUpdatedRows === 0n) refuse('not_found')
        if (before.template_kid !== values.template_kid) await dropUnused(trx, before.template_kid)
      }),
    names,
  )
  changed(actor)
  return shown(actor, kid)
}

/** The copy is incomplete: what it sets is what its original sets, and that may stand only once. */
export async function copy(actor: Actor, { kid, name }: In<Calls['copy']>) {
  const { description, template_kid, type, version, content } = await get(actor, kid)
  await toUse(actor, template_kid)
  return add(actor, {
    name,
    description,
    template_kid,
    type,
    version,
    status: 'incomplete',
    content: JSON.stringify(content),
    content_hash: null,
  })
}

export async function remove(actor: Actor, kid: string): Promise<{ name: string }> {
  const row = await actor.scope.transaction().execute(async (trx) => {
    const gone = await trx
      .deleteFrom('istage_config')
      .where('kid', '=', kid)
      .returning(['name', 'template_kid'])
      .executeTakeFirst()
    if (!gone) return refuse('not_found')
    await dropUnused(trx, gone.template_kid)
    return gone
  })
  changed(actor)
  return { name: row.name }
}

/** The file that devices read. */
export async function exportFile(actor: Actor, kid: string) {
  const { name, description, type, version, content, status } = await get(actor, kid)
  if (status !== 'completed') return refuse('istage_incomplete')
  const file: IstageFileOfConfig = { istage: istage_file_format, name, description, type, version, content }
  return { name, file_name: `${fileNameOf(name)}-${type}-${version}.json`, private_file: file }
}
/** A title as a part of a file's name. */
export const fileNameOf = (name: string): string => name.replace(/[\\/:*?"<>|\s]+/g, '_')
