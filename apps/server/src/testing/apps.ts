import type { Deps } from '../deps.ts'
import type { ObjectInfo } from '../files/object-store.ts'
import { newKid } from '../lib/ids.ts'

type Wanted = {
  account_kid: string
  package: string
  name?: string
  version_name: string
  version_code: number
  /** Its package in the object store; of nothing where nobody reads it. */
  bytes?: ObjectInfo & { object: string }
}

/** A listed app that offers its one version, as rows. */
export async function addApp(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  { account_kid, package: named, name = named, version_name, version_code, bytes }: Wanted,
): Promise<string> {
  const [kid, version_kid] = [newKid(), newKid()]
  const made = { created_by_kid: newKid(), created_by: '', created_at: clock.now() }
  await db
    .insertInto('app')
    .values({
      ...{ kid, account_kid, package: named, name, developer: '', intro: '', state: 'listed', is_system_signed: false },
      ...made,
      updated_at: made.created_at,
    })
    .execute()
  const none = { min_sdk: null, target_sdk: null, notes: '', is_typed: false, signature_scheme: '' }
  await db
    .insertInto('app_version')
    .values({
      ...{ kid: version_kid, app_kid: kid, account_kid, version_name, version_code, kind: 'apk' },
      ...{ file_name: `${name}.apk`, signers: [], abis: [], permissions: [], splits: '[]', left_out: [], ...none },
      ...(bytes ?? { object: version_kid, size: 1, md5: '', sha256: '' }),
      ...made,
    })
    .execute()
  await db.insertInto('app_version_settings').values({ version_kid, account_kid, settings: '[]' }).execute()
  await db.updateTable('app').set({ offered_version_kid: version_kid }).where('kid', '=', kid).execute()
  return kid
}
