import type { BatchState, ErrorName, ExportState, OsPackageState } from '@mdm/contract'
import type { Deps } from '../deps.ts'
import { newKid } from '../lib/ids.ts'

type Place = Pick<Deps, 'db' | 'clock'>
const hour_ms = 3_600_000
const author = { created_by_kid: newKid(), created_by: 'Olga' }

/** Rows of jobs that nobody works on while a test looks. */
export async function addBatch(
  { db, clock }: Place,
  {
    account_kid,
    state = 'running',
    ...more
  }: { account_kid: string; state?: BatchState; policy_kid?: string; at?: Date },
): Promise<string> {
  const kid = newKid()
  const { policy_kid = null, at = clock.now() } = more
  await db
    .insertInto('batch_job')
    .values({
      kid,
      account_kid,
      owner_kid: account_kid,
      kind: policy_kid === null ? 'terminal_registered' : 'policy_sheet',
      policy_kid,
      schedule_version: `sheet-${kid}`,
      state,
      total: 4,
      done: state === 'running' ? 2 : 4,
      ok: state === 'running' ? 2 : 3,
      failed: state === 'running' ? 0 : 1,
      ...author,
      created_at: at,
      touched_at: at,
    })
    .execute()
  return kid
}

export async function addExport(
  { db, clock }: Place,
  { account_kid, state, object = null }: { account_kid: string; state: ExportState; object?: string | null },
): Promise<string> {
  const kid = newKid()
  const at = clock.now()
  const request = {
    format: 'csv',
    name: 'Stock take',
    zone_id: 'UTC',
    columns: [{ key: 'sn', title: 'SN' }],
    match: {},
  }
  await db
    .insertInto('terminal_export')
    .values({
      kid,
      account_kid,
      request: JSON.stringify(request),
      language: 'en',
      group_kids: null,
      state,
      object,
      total: 10,
      ...author,
      created_at: at,
      next_at: new Date(at.getTime() + hour_ms),
      expires_at: new Date(at.getTime() + 24 * hour_ms),
    })
    .execute()
  return kid
}

type Package = { uid_kid: string; state: OsPackageState; is_made?: boolean; fault?: ErrorName; created_by_kid: string }
/** A package of an OS version of its own. */
export async function addPackage(
  { db, clock }: Place,
  { uid_kid, state, is_made = false, fault, created_by_kid }: Package,
): Promise<{ kid: string; os_version_kid: string }> {
  const [kid, os_version_kid] = [newKid(), newKid()]
  const at = clock.now()
  const made = { created_by_kid, created_by: 'Olga', created_at: at }
  await db
    .insertInto('os_version')
    .values({
      kid: os_version_kid,
      uid_kid,
      os_version: '9.00.100',
      version_code: 1,
      ver: 1,
      description: '',
      remaining_problems: '',
      state: 'draft',
      mode: null,
      manifest: null,
      signature: null,
      key_kid: null,
      built_for_kid: null,
      ...made,
      updated_at: at,
      released_at: null,
    })
    .execute()
  await db
    .insertInto('os_package')
    .values({
      kid,
      os_version_kid,
      from_build: is_made ? JSON.stringify({ os_version: '9.00.099', version_code: 1, ver: 0 }) : null,
      is_made,
      from_kid: null,
      file_name: `${kid}.zip`,
      url: is_made ? null : 'https://192.0.2.1/os.zip',
      state,
      size: 1_000,
      received: state === 'ready' ? 1_000 : 400,
      etag: null,
      object: kid,
      md5: 'm',
      sha256: 's',
      fault: fault ? JSON.stringify({ name: fault, details: {} }) : null,
      worked_by: null,
      next_at: new Date(at.getTime() + hour_ms),
      ...made,
    })
    .execute()
  return { kid, os_version_kid }
}
