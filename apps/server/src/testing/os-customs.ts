import { Readable } from 'node:stream'
import type { OsBuildInputs, OsBuildState } from '@mdm/contract'
import { newKid } from '../lib/ids.ts'
import type { Deps } from '../deps.ts'
import { osZip } from './os-versions.ts'

type Place = Pick<Deps, 'db' | 'clock' | 'objects'>
const author = { created_by_kid: newKid(), created_by: 'Olga' }

async function addFile(of: Place, kind: 'sum' | 'os' | 'config', place: object, file_name: string, zip: Buffer) {
  const object = newKid()
  const { size, md5, sha256 } = await of.objects.put(object, Readable.from([zip]), zip.length)
  const row = { kid: newKid(), kind, ...place, file_name, object, size, md5, sha256, state: 'ready' as const }
  await of.db
    .insertInto('oscs_file')
    .values({ ...row, ...author, created_at: of.clock.now() })
    .execute()
}

/** A model with its platform package, as rows. */
export async function addModel(of: Place, uid_kid: string, code: string, sum?: Buffer): Promise<string> {
  const kid = newKid()
  const now = of.clock.now()
  await of.db
    .insertInto('oscs_model')
    .values({ kid, code, name: '', uid_kid, remark: '', ...author, created_at: now, updated_at: now })
    .execute()
  const zip = sum ?? (await osZip('platform', [['DOWNLOAD/vendor.img', 'vendor']]))
  await addFile(of, 'sum', { model_kid: kid }, `${code}_sum.zip`, zip)
  return kid
}

/** A base version with both its packages, as rows. */
export async function addBase(
  of: Place,
  model_kid: string,
  base_os_version: string,
  { os, config, version_code = 100 }: { os?: Buffer; config?: Buffer; version_code?: number } = {},
): Promise<string> {
  const kid = newKid()
  const now = of.clock.now()
  await of.db
    .insertInto('oscs_base')
    .values({ kid, model_kid, base_os_version, version_code, remark: '', ...author, created_at: now, updated_at: now })
    .execute()
  await addFile(of, 'os', { base_kid: kid }, `${base_os_version}.zip`, os ?? (await osZip('system')))
  const settings = config ?? (await osZip('system', [['DOWNLOAD/etc/base.properties', 'a=1\n']]))
  await addFile(of, 'config', { base_kid: kid }, `${base_os_version}_config.zip`, settings)
  return kid
}

/** A custom OS without items, as a row; with a build in some state where one is wanted. */
export async function addCustom(
  of: Place,
  account_kid: string,
  { base_kid, uid_kid, name }: { base_kid: string; uid_kid: string; name: string },
  build?: OsBuildState,
): Promise<{ kid: string; build_kid: string }> {
  const kid = newKid()
  const build_kid = newKid()
  const now = of.clock.now()
  await of.db
    .insertInto('os_custom')
    .values({
      kid,
      account_kid,
      name,
      base_kid,
      uid_kid,
      state: build === 'failed' ? 'abnormal' : 'enabled',
      apps: '[]',
      files: '[]',
      remark: '',
      build_count: build ? 1 : 0,
      ...author,
      created_at: now,
      updated_at: now,
    })
    .execute()
  const inputs: OsBuildInputs = {
    name,
    model_code: 'M',
    uid_code: 'U',
    base_os_version: 'm_9.00.1',
    bases: [],
    apps: [],
    files: [],
    picture: null,
    configuration: null,
  }
  if (build)
    await of.db
      .insertInto('os_build')
      .values({
        kid: build_kid,
        account_kid,
        os_custom_kid: kid,
        number: 1,
        state: build,
        step: 'packaging',
        inputs: JSON.stringify(inputs),
        os_version: '9.00.1_CD01',
        version_code: 1,
        ver: 1,
        file_name: 'x.zip',
        ...(build === 'completed' && { size: 1, md5: 'a', sha256: 'b' }),
        // Nobody takes it over while a test looks.
        ...((build === 'running' || build === 'waiting') && { next_at: new Date(now.getTime() + 3_600_000) }),
        ...author,
        created_at: now,
      })
      .execute()
  return { kid, build_kid }
}
