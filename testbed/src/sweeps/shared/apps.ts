import { newKid } from '@mdm/server/lib/ids.ts'
import { disguisedApk, realSigner } from '../../apks.ts'
import type { Caller } from '../../caller.ts'
import { uploadFile } from '../../upload.ts'
import type { Stage } from '../stage.ts'

let certificate: Promise<Buffer> | undefined
const signer = () => (certificate ??= realSigner())
/** Another package each time: the last letters of a name as long as the real one's. */
let packages = 0
export const packageName = () =>
  `io.appium.set${(packages += 1)
    .toString(26)
    .padStart(5, '0')
    .replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)]!)}`
export const apk = async (version_code: number, name = packageName(), by_certificate?: Buffer) =>
  disguisedApk({ certificate: by_certificate ?? (await signer()), version_code, package: name })
export const uploadApk = async (who: Caller, bytes: Buffer | Promise<Buffer>) =>
  uploadFile(who, 'sweep.apk', await bytes)

/** Of customers, and of the provider. */
export type AppGroup = 'appCenter' | 'opsPlatformApk'
/** The version code of apps that are copies. */
export const copied_code = 10

/**
 * An app with one version, which it offers, in rows: a copy of an app whose package a process has read once for all of
 * them, under another name, without the bytes.
 */
export async function copiedApp(
  s: Pick<Stage, 'deps' | 'once' | 'unique' | 'root' | 'operator'>,
  group: AppGroup,
  { is_listed = false, named = packageName(), dependency_kids = [] as string[] } = {},
): Promise<{ kid: string; version_kid: string }> {
  const { db } = s.deps
  const { app, version } = await s.once(`an app of ${group}`, async () => {
    const who = group === 'appCenter' ? s.root : s.operator
    const upload_kid = await uploadApk(who, apk(copied_code))
    const { kid } = await who[group].insert({ upload_kid, name: s.unique('App') })
    const read = await db.selectFrom('app').selectAll().where('kid', '=', kid).executeTakeFirstOrThrow()
    const of = db.selectFrom('app_version').selectAll().where('app_kid', '=', kid)
    return { app: read, version: await of.executeTakeFirstOrThrow() }
  })
  const [kid, version_kid] = [newKid(), newKid()]
  const { version_count: _, space_used: __, ...row } = app
  const state = is_listed ? 'listed' : 'delisted'
  await db
    .insertInto('app')
    .values({ ...row, kid, state, name: s.unique('App'), package: named, offered_version_kid: null })
    .execute()
  await db
    .insertInto('app_version')
    .values({ ...version, kid: version_kid, app_kid: kid, object: newKid(), splits: JSON.stringify(version.splits) })
    .execute()
  await db
    .insertInto('app_version_settings')
    .values({ version_kid, account_kid: app.account_kid, settings: '[]' })
    .execute()
  await db.updateTable('app').set({ offered_version_kid: version_kid }).where('kid', '=', kid).execute()
  for (const needed_kid of dependency_kids)
    await db.insertInto('app_dependency').values({ app_kid: kid, needed_kid, account_kid: app.account_kid }).execute()
  return { kid, version_kid }
}

/** So many apps more, without versions, that an app needs. */
export async function manyApps({ deps }: Pick<Stage, 'deps'>, app_kid: string, count = 41): Promise<string[]> {
  const row = await deps.db.selectFrom('app').selectAll().where('kid', '=', app_kid).executeTakeFirstOrThrow()
  const { version_count: _, space_used: __, ...rest } = row
  const copies = Array.from({ length: count }, () => ({ ...rest, kid: newKid(), offered_version_kid: null }))
  await deps.db
    .insertInto('app')
    .values(copies.map((copy) => ({ ...copy, package: `sweep.p${copy.kid.replaceAll('-', '')}` })))
    .execute()
  await deps.db
    .insertInto('app_dependency')
    .values(copies.map(({ kid }) => ({ app_kid, needed_kid: kid, account_kid: row.account_kid })))
    .execute()
  return copies.map(({ kid }) => kid)
}
