import type { Contract, FieldFault, In, InspectedPackage } from '@mdm/contract'
import { objectSource } from '../../../files/object-store.ts'
import { wholeUpload } from '../../../files/own-upload.ts'
import type { WholeUpload } from '../../../files/own-upload.ts'
import type { PackageFacts } from '../../../lib/apk/package.ts'
import { Refusal, refuse } from '../../../refusal.ts'
import { inWorker } from '../../../workers/service.ts'
import type { Actor } from '../../../actor.ts'
import type { Db, Librarian } from './library.ts'

type Calls = Contract['appCenter']['calls']
const needed = ['package', 'version_name', 'version_code'] as const
export type Uploaded = { upload: WholeUpload; facts: PackageFacts }

/** An upload of this person that is a package which can be kept: sound and signed. */
export async function uploadedPackage(librarian: Librarian, kid: string): Promise<Uploaded> {
  const { deps, uploads, user, account_kid, signal } = librarian
  const upload = await wholeUpload(deps, uploads, user.kid, kid)
  if (upload.claimed_at) return refuse('not_found')
  const by = { account_kid, user_kid: user.kid, signal }
  const facts = await inWorker(deps, 'package', {}, objectSource(deps.objects, upload.object, upload.size), by)
  return { upload, facts }
}

export type Typed = Partial<Pick<In<Calls['insert']>, (typeof needed)[number]>>
export type Complete = PackageFacts & { package: string; version_name: string; version_code: number; is_typed: boolean }

/** What the package says counts; what it does not say has to be typed. */
export function completed(facts: PackageFacts, typed: Typed): Complete {
  const missing = needed.filter((name) => (facts[name] ?? typed[name]) === undefined)
  if (missing.length > 0) {
    const faults: Record<string, FieldFault> = Object.fromEntries(missing.map((name) => [name, { name: 'required' }]))
    throw new Refusal('app_facts_missing', {}, faults)
  }
  return {
    ...facts,
    package: facts.package ?? typed.package!,
    version_name: facts.version_name ?? typed.version_name!,
    version_code: facts.version_code ?? typed.version_code!,
    is_typed: needed.some((name) => facts[name] === null),
  }
}

/** What is there already of an app: its highest version, and by whom that is signed. */
export const highestOf = (db: Db, app_kid: string) =>
  db
    .selectFrom('app_version')
    .select(['version_code', 'version_name', 'signers'])
    .where('app_kid', '=', app_kid)
    .orderBy('version_code', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Android updates an app when its signers are the same. */
export const areSameSigners = (a: readonly string[], b: readonly string[]): boolean =>
  a.toSorted().join() === b.toSorted().join()

export async function inspect(librarian: Librarian, input: In<Calls['inspect_upload']>): Promise<InspectedPackage> {
  const { facts } = await uploadedPackage(librarian, input.upload_kid)
  const { icon, scheme: _, ...said } = facts
  return {
    facts: { ...said, icon: icon && `data:${icon.content_type};base64,${Buffer.from(icon.bytes).toString('base64')}` },
    missing: needed.filter((name) => facts[name] === null),
    app: await presentApp(librarian, facts, input.app_kid),
  }
}

async function presentApp({ scope }: Actor, facts: PackageFacts, app_kid: string | undefined) {
  const own = scope.selectFrom('app').select(['kid', 'name'])
  const row = app_kid
    ? ((await own.where('kid', '=', app_kid).executeTakeFirst()) ?? refuse('not_found'))
    : await own.where('package', '=', facts.package).executeTakeFirst()
  if (!row) return null
  const highest = await highestOf(scope, row.kid)
  return {
    ...row,
    highest_code: highest?.version_code ?? null,
    signer_differs: highest !== undefined && !areSameSigners(highest.signers, facts.signers),
  }
}
