import { isOsOut } from '@mdm/contract'
import type { Actor } from '../../../actor.ts'
import type { Deps } from '../../../deps.ts'
import type { ObjectInfo } from '../../../files/object-store.ts'
import { newKid } from '../../../lib/ids.ts'
import { refuse } from '../../../refusal.ts'
import { lockOwn, note } from './locked-version.ts'
import type { Db } from './locked-version.ts'
import { openPushes } from './versions.ts'

type Built = {
  uid_kid: string
  account_kid: string
  os_version: string
  version_code: number
  ver: number
  description: string
  file_name: string
  object: string
  info: ObjectInfo
  by: { kid: string; name: string }
}

/** What was built for an account becomes a version like any other, for that account alone: a draft that only has to be released. */
export async function insertBuilt(trx: Db, deps: Deps, built: Built): Promise<string> {
  const { uid_kid, account_kid, os_version, version_code, ver, description, file_name, object, info, by } = built
  const kid = newKid()
  const now = deps.clock.now()
  const author = { created_by_kid: by.kid, created_by: by.name, created_at: now }
  await trx
    .insertInto('os_version')
    .values({
      kid,
      uid_kid,
      os_version,
      version_code,
      ver,
      description,
      remaining_problems: '',
      state: 'draft',
      mode: 'launched',
      built_for_kid: account_kid,
      ...author,
      updated_at: now,
    })
    .execute()
  await trx
    .insertInto('os_version_account')
    .values({ os_version_kid: kid, account_kid, terminal_group_kids: null })
    .execute()
  const { size, md5, sha256 } = info
  await trx
    .insertInto('os_package')
    .values({
      kid: newKid(),
      os_version_kid: kid,
      from_build: null,
      file_name,
      url: null,
      state: 'ready',
      size,
      received: size,
      object,
      md5,
      sha256,
      ...author,
    })
    .execute()
  await note(trx, { deps, user: by }, kid, 'created', os_version)
  await note(trx, { deps, user: by }, kid, 'package_added', file_name)
  return kid
}

/** Returns the objects that nothing refers to any more. @throws `os_custom_released`, `os_being_pushed` */
export async function removeBuilt(trx: Db, actor: Actor, kid: string): Promise<string[]> {
  const row = await lockOwn(trx, { ...actor, built_for: actor.account_kid }, kid)
  if (isOsOut(row.state)) refuse('os_custom_released', { version: row.os_version })
  const { tasks } = await openPushes(trx, kid)
  if (tasks > 0) refuse('os_being_pushed', { tasks })
  const packages = await trx.deleteFrom('os_package').where('os_version_kid', '=', kid).returning('object').execute()
  await trx.deleteFrom('os_version').where('kid', '=', kid).execute()
  return packages.flatMap(({ object }) => object ?? [])
}
