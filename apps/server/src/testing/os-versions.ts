import { Readable } from 'node:stream'
import { informationKeys, informationLists, kidOf } from '@mdm/contract'
import type { UidKid } from '@mdm/contract'
import type { Deps } from '../deps.ts'
import { newKid } from '../lib/ids.ts'
import type { TestDeps } from './deps.ts'
import { zipOf } from './zip.ts'

/** A UID with its parts, as rows. */
export async function addUid(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  code: string,
  more: { type?: 'standard' | 'custom'; base_uid_kid?: string } = {},
): Promise<string> {
  const now = clock.now()
  const parts = {} as Record<UidKid, string>
  for (const key of informationKeys) {
    const kid = newKid()
    const { name: list, details } = informationLists[key]
    const known = Object.fromEntries(details.map((name) => [name, 'x']))
    await db
      .insertInto('os_information')
      .values({ kid, list, code: kid, name: kid, ...known, created_at: now, updated_at: now } as never)
      .execute()
    parts[kidOf(list)] = kid
  }
  const kid = newKid()
  const based = more.base_uid_kid ? { base_os_version: 'm102_9.00.1' } : {}
  const row = { kid, code, display_name: code, type: 'standard', reserve_code: '01', ...parts, ...based, ...more }
  await db
    .insertInto('os_uid')
    .values({ ...row, created_at: now, updated_at: now } as never)
    .execute()
  return kid
}

/** A finished upload of a person. */
export async function addUpload(
  deps: TestDeps,
  { account_kid, user_kid }: { account_kid: string; user_kid: string },
  name: string,
  bytes: Buffer,
): Promise<string> {
  const kid = newKid()
  const { size, md5, sha256 } = await deps.objects.put(kid, Readable.from([bytes]), bytes.length)
  const now = deps.clock.now()
  const row = {
    kid,
    account_kid,
    user_kid,
    name,
    size,
    area: 'file_disk' as const,
    received: size,
    object: kid,
    md5,
    sha256,
  }
  await deps.db
    .insertInto('upload')
    .values({ ...row, created_at: now, finished_at: now })
    .execute()
  return kid
}

/** A package as devices take one. */
export const osZip = (content = 'system', more: [string, string | Buffer][] = []): Promise<Buffer> =>
  zipOf([['DOWNLOAD/system.img', content], ...more])
