import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract } from '@mdm/contract'
import type { OscsBase, OscsModel } from '@mdm/contract'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { localObjects } from '../../../files/local-objects.ts'
import { testApi } from '../../../testing/calls.ts'
import type { TestApi } from '../../../testing/calls.ts'
import { addCustom } from '../../../testing/os-customs.ts'
import { addUid, addUpload, osZip } from '../../../testing/os-versions.ts'
import { zipOf } from '../../../testing/zip.ts'

const model_calls = contract.opsOscsModel.calls
const base_calls = contract.opsOscsBase.calls
const code = 'NM11602S1E0ENGEN0001'

let o: TestApi
let uid_kid: string
let folder: string
beforeAll(async () => {
  o = await testApi()
  folder = await mkdtemp(join(tmpdir(), 'oscs-base-'))
  o.deps.objects = await localObjects(folder)
})
afterAll(async () => {
  await o.close()
  await rm(folder, { recursive: true, force: true })
})
afterEach(() => expect(o.internal_errors).toEqual([]))
beforeEach(async () => {
  for (const table of ['os_custom', 'oscs_base', 'oscs_model', 'os_version', 'os_uid', 'os_information'] as const)
    await o.deps.db.deleteFrom(table).execute()
  uid_kid = await addUid(o.deps, code)
})

const upload = async (name: string, bytes?: Buffer) =>
  addUpload(
    o.deps,
    { account_kid: o.operator.account_kid, user_kid: o.operator.kid },
    name,
    bytes ?? (await osZip(name)),
  )
const insertModel = async (more: object = {}) =>
  o.call(
    model_calls.insert,
    { code: 'M102', uid_kid, sum_upload_kid: await upload('M102_sum.zip'), ...more },
    o.operator,
  )
const insertBase = async (model_kid: string, more: object = {}) =>
  o.call(
    base_calls.insert,
    {
      model_kid,
      base_os_version: 'm102_9.00.123',
      version_code: 900,
      os_upload_kid: await upload(`m102_${code.toLowerCase()}_full.ZIP`),
      config_upload_kid: await upload('config.zip'),
      ...more,
    },
    o.operator,
  )
const model = async (kid: string): Promise<OscsModel> => (await o.call(model_calls.get, { kid }, o.operator)).data
const base = async (kid: string): Promise<OscsBase> => (await o.call(base_calls.get, { kid }, o.operator)).data
const message = async (asked: Promise<{ message: string }>) => (await asked).message

it('a model and a base version with their packages, checked in the background', async () => {
  const { kid } = (await insertModel()).data
  const { kid: base_kid } = (await insertBase(kid)).data
  await vi.waitFor(async () => expect((await model(kid)).sum.state).toBe('ready'))
  await vi.waitFor(async () => {
    const { os, config } = await base(base_kid)
    expect([os.state, config.state]).toEqual(['ready', 'ready'])
  })
  expect(await model(kid)).toMatchObject({
    code: 'M102',
    uid_code: code,
    base_count: 1,
    created_by: 'Name of operator',
  })
  expect(await base(base_kid)).toMatchObject({ model_code: 'M102', base_os_version: 'm102_9.00.123', custom_count: 0 })
  expect((await model(kid)).sum.sha256).toMatch(/^[0-9a-f]{64}$/)
  const found = await o.call(base_calls.paging, { text: '9.00.12', model_kid: kid }, o.operator)
  expect(found.data.items.map((row: OscsBase) => row.kid)).toEqual([base_kid])
})

it('a file that is no package says so, and can be checked again', async () => {
  const { kid } = (await insertModel({ sum_upload_kid: await upload('M102.zip', await zipOf([['other/a', 'a']])) }))
    .data
  await vi.waitFor(async () => expect((await model(kid)).sum.state).toBe('failed'))
  const { sum } = await model(kid)
  expect(sum.fault).toContain('DOWNLOAD')
  expect((await o.call(model_calls.retry_file, { kid: sum.kid }, o.operator)).result).toBe(1)
  await vi.waitFor(async () => expect((await model(kid)).sum.state).toBe('failed'))
  // A file of a model is none of a base version.
  expect((await o.call(base_calls.retry_file, { kid: sum.kid }, o.operator)).status).toBe(404)
})

it('a file is downloaded under its name, whatever was found of it, and the operation log names it', async () => {
  const sign = vi.fn<typeof o.deps.signFile>(() => '/files/signed')
  Object.assign(o.deps, { signFile: sign })
  const { kid } = (await insertModel({ sum_upload_kid: await upload('M102.zip', await zipOf([['other/a', 'a']])) }))
    .data
  const { sum } = await model(kid)
  const { object } = await o.deps.db.selectFrom('oscs_file').select('object').executeTakeFirstOrThrow()
  expect((await o.call(model_calls.download_file, { kid: sum.kid }, o.operator)).data).toEqual({ url: '/files/signed' })
  expect(sign.mock.calls).toEqual([[object, { name: 'M102.zip', content_type: 'application/zip' }]])
  expect((await o.call(base_calls.download_file, { kid: sum.kid }, o.operator)).status).toBe(404)
  expect((await o.call(model_calls.download_file, { kid: sum.kid }, o.acme_root)).status).toBe(403)
  const { tracks } = await o.deps.db
    .selectFrom('operation_log')
    .select('tracks')
    .where('action_code', '=', 'download_file')
    .where('result', '=', 1)
    .executeTakeFirstOrThrow()
  expect(JSON.stringify(tracks)).toContain('M102.zip')
})

it('codes and versions are unique, in any case', async () => {
  const { kid } = (await insertModel()).data
  expect(await message(insertModel({ code: 'm102' }))).toBe('This model already exists.')
  await insertBase(kid)
  expect(await message(insertBase(kid, { base_os_version: 'M102_9.00.123' }))).toBe(
    'This base OS version already exists.',
  )
})

it.each([
  ['m', false],
  ['9.00.123', false],
  ['m102_9.00', false],
  ['m102-9.00.123', false],
  ['m102_9.00.123 ', true],
  ['m102_dev_9.00.123.4', true],
  [`${'m'.repeat(26)}_9.00.123`, true],
  [`${'m'.repeat(27)}_9.00.123`, false],
])('a base OS version is project_version of 2 to 35 characters: %j', async (base_os_version, is_taken) => {
  const { kid } = (await insertModel()).data
  const { status, data } = await insertBase(kid, { base_os_version })
  expect(status).toBe(is_taken ? 200 : 400)
  if (!is_taken) expect(Object.keys((data as unknown as { fields: object }).fields)).toEqual(['base_os_version'])
})

it('names of packages: ZIPs, and the OS package has the UID of the model in it', async () => {
  expect(await message(insertModel({ sum_upload_kid: await upload('sum.tar') }))).toBe('Only ZIP files: sum.tar.')
  const { kid } = (await insertModel()).data
  expect(await message(insertBase(kid, { os_upload_kid: await upload('m102_other_full.zip') }))).toContain(code)
  expect(await message(insertBase(kid, { config_upload_kid: await upload('config.rar') }))).toContain('config.rar')
})

it('an upload of somebody else, or one that is kept already, is unknown', async () => {
  const foreign = await addUpload(
    o.deps,
    { account_kid: o.acme.kid, user_kid: o.operator.kid },
    'sum.zip',
    await osZip(),
  )
  expect((await insertModel({ sum_upload_kid: foreign })).status).toBe(404)
  const used = await upload('sum.zip')
  await insertModel({ sum_upload_kid: used })
  expect((await insertModel({ code: 'M103', sum_upload_kid: used })).status).toBe(404)
})

it('another package takes the place of the first, whose bytes are gone', async () => {
  const { kid } = (await insertModel()).data
  const old = await o.deps.db
    .selectFrom('oscs_file')
    .select('object')
    .where('model_kid', '=', kid)
    .executeTakeFirstOrThrow()
  const sum_upload_kid = await upload('M102_new.zip')
  expect((await o.call(model_calls.update, { kid, sum_upload_kid }, o.operator)).result).toBe(1)
  expect((await model(kid)).sum.file_name).toBe('M102_new.zip')
  expect(await o.deps.objects.info(old.object)).toBeUndefined()
  // What is not said does not change.
  expect(await model(kid)).toMatchObject({ code: 'M102', uid_kid })
})

it('models and base versions that are used cannot be deleted, nor changed under those who use them', async () => {
  const { kid } = (await insertModel()).data
  const { kid: base_kid } = (await insertBase(kid)).data
  const other_uid = await addUid(o.deps, 'NM11602S1E0ENGEN0002')
  const update = (input: object) => o.call(model_calls.update, { kid, ...input }, o.operator)
  expect(await message(update({ uid_kid: other_uid }))).toContain('Base versions stand on it (1)')
  expect((await update({ uid_kid, name: 'Handheld' })).result).toBe(1)
  expect(await message(o.call(model_calls.delete, { kid }, o.operator))).toContain('Base versions stand on it (1)')
  expect(await message(o.call(contract.opsUid.calls.delete, { kid: uid_kid }, o.operator))).toContain('custom OS 1')
  const custom_uid = await addUid(o.deps, 'NM11602S1E0ENGEN00C1', { type: 'custom', base_uid_kid: uid_kid })
  await addCustom(o.deps, o.acme.kid, { base_kid, uid_kid: custom_uid, name: 'Shop' }, 'waiting')
  const change = (input: object) => o.call(base_calls.update, { kid: base_kid, ...input }, o.operator)
  expect(await message(change({ version_code: 901 }))).toContain('Custom OS are built on it (1)')
  expect(await message(change({ config_upload_kid: await upload('c.zip') }))).toContain('Custom OS are built on it (1)')
  expect((await change({ remark: 'Tested', version_code: 900 })).result).toBe(1)
  expect(await message(o.call(base_calls.delete, { kid: base_kid }, o.operator))).toContain('Custom OS are built on it')
  expect(await message(update({ sum_upload_kid: await upload('n.zip') }))).toContain('is being built')
  await o.deps.db.deleteFrom('os_custom').execute()
  expect((await o.call(base_calls.delete, { kid: base_kid }, o.operator)).result).toBe(1)
  expect((await o.call(model_calls.delete, { kid }, o.operator)).result).toBe(1)
  expect(await o.deps.db.selectFrom('oscs_file').selectAll().execute()).toEqual([])
})

it('only the UID of a standard OS', async () => {
  const custom = await addUid(o.deps, 'NM11602S1E0ENGEN00C1', { type: 'custom', base_uid_kid: uid_kid })
  expect(await message(insertModel({ uid_kid: custom }))).toContain('standard OS')
  const listed = await o.call(model_calls.list_uid, {}, o.operator)
  expect(listed.data.map((row: { kid: string }) => row.kid)).toEqual([uid_kid])
})
