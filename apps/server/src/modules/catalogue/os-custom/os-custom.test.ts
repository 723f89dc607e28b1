import { osCustomLimits } from '@mdm/contract'
import type { OsBuildBrief, OsCustomRow } from '@mdm/contract'
import { describe, expect, it } from 'vitest'
import { newKid } from '../../../lib/ids.ts'
import {
  acme,
  addApp,
  addConfiguration,
  addFile,
  addWaiting,
  build,
  built,
  calls,
  detail,
  get,
  globex,
  insert,
  made,
  model_kid,
  o,
  png,
  say,
  uid,
  uid_kid,
  uploadPicture,
  customWorld,
} from '../../../testing/os-custom-world.ts'
import { addBase, addModel } from '../../../testing/os-customs.ts'

customWorld()

describe('rules', () => {
  it('what a build needs does not vanish unnoticed: it is refused with the name', async () => {
    const app_kid = await addApp(o.acme.kid, 'Till', 'x')
    const file_kid = await addFile(o.acme.kid, 'prices.csv', 'x')
    const configuration_kid = await addConfiguration(o.acme.kid)
    const kid = await made({ apps: [{ app_kid }], files: [{ file_kid, path: '/a' }], configuration_kid })
    await o.deps.db.updateTable('app').set({ state: 'delisted' }).where('kid', '=', app_kid).execute()
    expect(await say(build(kid))).toContain('Till')
    await o.deps.db.deleteFrom('app').where('kid', '=', app_kid).execute()
    expect(await say(build(kid))).toBe('Till no longer exists. Remove it or choose another one.')
    expect((await get(kid)).apps).toMatchObject([{ name: 'Till', is_gone: true }])
    await o.call(calls.update, { kid, apps: [] }, acme)
    await o.deps.db.deleteFrom('file_cloud').where('kid', '=', file_kid).execute()
    expect(await say(build(kid))).toContain('prices.csv no longer exists')
    await o.call(calls.update, { kid, files: [] }, acme)
    await o.deps.db.deleteFrom('configuration').where('kid', '=', configuration_kid).execute()
    expect(await say(build(kid))).toContain('Default no longer exists')
    expect((await get(kid)).configuration).toMatchObject({ is_gone: true })
    await o.call(calls.update, { kid, configuration_kid: null }, acme)
    expect((await build(kid)).result).toBe(1)
  })

  it('other accounts’ apps, files and configurations are as unknown as ones that never were', async () => {
    const app_kid = await addApp(o.globex.kid, 'Till', 'x')
    const file_kid = await addFile(o.globex.kid, 'a.txt', 'x')
    const configuration_kid = await addConfiguration(o.globex.kid)
    for (const more of [{ apps: [{ app_kid }] }, { files: [{ file_kid, path: '/a' }] }, { configuration_kid }])
      expect((await insert(more)).result).toBe(44082)
    const foreign = await uploadPicture(png(), globex)
    expect((await insert({ picture_upload_kid: foreign })).status).toBe(404)
  })

  it('nothing twice, in one place', async () => {
    const app_kid = await addApp(o.acme.kid, 'Till', 'x')
    const file_kid = await addFile(o.acme.kid, 'a.txt', 'x')
    expect(await say(insert({ apps: [{ app_kid }, { app_kid }] }))).toBe('Till is in it twice.')
    const files = ['/a/', '//A'].map((path) => ({ file_kid, path }))
    expect(await say(insert({ files }))).toBe('A/a.txt is in it twice.')
  })

  it.each([
    ['not a picture', Buffer.from('x')],
    ['a head without a body', png().subarray(0, 40)],
    ['too wide', png(osCustomLimits.picture_side + 1, 1)],
    ['a JPEG', Buffer.from([0xff, 0xd8, 0xff, 0xe0])],
  ])('a boot picture that is %s is refused', async (_, bytes) => {
    expect((await insert({ picture_upload_kid: await uploadPicture(bytes) })).result).toBe(44084)
  })

  it.each([
    ['Shop floor_2-b', true],
    ['Cửa hàng', true],
    ['门店', true],
    ['a/b', false],
    ['a.b', false],
    ['a  b', false],
    ['', false],
    ['x'.repeat(41), false],
  ])('names: %j', async (name, is_taken) => {
    expect((await insert({ name })).status).toBe(is_taken ? 200 : 400)
  })

  it('names are unique in an account, in any case; another account may have the same', async () => {
    await made()
    expect(await say(insert({ name: 'SHOP' }))).toBe('This name already exists.')
    expect((await insert({}, globex)).result).toBe(1)
  })

  it('a UID of its own each, until the reserve codes are used up', async () => {
    const first = await get(await made({ name: 'A' }))
    const second = await get(await made({ name: 'B' }, globex), globex)
    expect([first.uid_code, second.uid_code]).toEqual(['NM11602S1E0ENGEN0002', 'NM11602S1E0ENGEN0003'])
    const row = await o.deps.db
      .selectFrom('os_uid')
      .selectAll()
      .where('code', '=', first.uid_code)
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({ type: 'custom', base_uid_kid: uid_kid, base_os_version: 'm102_9.00.123' })
    const { kid: _kid, display_name: _name, ...parts } = row
    const codes = [...Array(36 * 36).keys()].map((n) => n.toString(36).toUpperCase().padStart(2, '0'))
    const free = codes.filter((code) => !['00', '01', '02', '03'].includes(code))
    for (const code of free)
      await o.deps.db
        .insertInto('os_uid')
        .values({ ...parts, kid: newKid(), code: uid.slice(0, -2) + code, reserve_code: code, display_name: code })
        .execute()
    expect(await say(insert({ name: 'C' }))).toContain(`reserve codes of the UID ${uid} are taken`)
  })

  it('not while it is built, and not when it is abandoned', async () => {
    const kid = await made()
    const other = await addWaiting(kid)
    for (const asked of [
      o.call(calls.update, { kid: other.kid, remark: 'x' }, acme),
      o.call(calls.delete, { kid: other.kid }, acme),
      o.call(calls.abandon, { kid: other.kid }, acme),
      build(other.kid),
      o.call(calls.delete_build, { kid: other.build_kid }, acme),
    ])
      expect(await say(asked)).toContain('It is being built')
    expect((await o.call(calls.abandon, { kid }, acme)).result).toBe(1)
    expect((await get(kid)).state).toBe('abandoned')
    for (const asked of [
      build(kid),
      o.call(calls.update, { kid, remark: 'x' }, acme),
      o.call(calls.abandon, { kid }, acme),
    ])
      expect(await say(asked)).toBe('This custom OS is abandoned.')
    expect((await o.call(calls.restore, { kid }, acme)).result).toBe(1)
    expect(await say(o.call(calls.restore, { kid }, acme))).toBe('This custom OS is not abandoned.')
    expect((await build(kid)).result).toBe(1)
  })

  it('a base whose packages were not found sound cannot be built on', async () => {
    await o.deps.db.updateTable('oscs_file').set({ state: 'checking' }).where('kind', '=', 'config').execute()
    expect((await insert()).result).toBe(44081)
    expect((await o.call(calls.list_base, {}, acme)).data).toEqual([])
  })

  it('a newer base of the same model, and none that makes an older version', async () => {
    const kid = await made()
    await built(kid)
    const newer = await addBase(o.deps, model_kid, 'm102_9.00.200')
    const older = await addBase(o.deps, model_kid, 'm102_9.00.100')
    const other = await addBase(o.deps, await addModel(o.deps, uid_kid, 'M200'), 'm200_9.00.1')
    expect(await say(o.call(calls.update, { kid, base_kid: other }, acme))).toContain(
      'The model of a custom OS is fixed',
    )
    await o.call(calls.update, { kid, base_kid: older }, acme)
    expect(await say(build(kid))).toContain('9.00.100_CD02, which is older than 9.00.123_CD01')
    await o.call(calls.update, { kid, base_kid: newer }, acme)
    expect((await built(kid)).os_version).toBe('9.00.200_CD02')
    const { base_os_version } = await o.deps.db
      .selectFrom('os_uid')
      .select('base_os_version')
      .where('type', '=', 'custom')
      .executeTakeFirstOrThrow()
    expect(base_os_version).toBe('m102_9.00.200')
  })

  it('a change after a failure gives that build up', async () => {
    const file_kid = await addFile(o.acme.kid, 'a.txt', 'x')
    const kid = await made({ files: [{ file_kid, path: '/a' }] })
    await o.deps.objects.delete(file_kid)
    const failed = await built(kid)
    await o.call(calls.update, { kid, files: [] }, acme)
    expect((await detail(failed.kid)).state).toBe('canceled')
    expect(await say(o.call(calls.retry_build, { kid: failed.kid }, acme))).toContain('Only a build that failed')
  })

  it('who is limited to groups looks and changes nothing', async () => {
    const kid = await made()
    const group_kid = newKid()
    await o.deps.db
      .insertInto('terminal_group')
      .values({ kid: group_kid, account_kid: o.acme.kid, parent_kid: null, name: `G ${group_kid}`, depth: 1 } as never)
      .execute()
    const limited = await o.person(3, o.acme.kid, `limited.${group_kid.slice(-6)}`, ['userOsCustom*'])
    await o.deps.db
      .insertInto('terminal_group_user_manged')
      .values({ account_kid: o.acme.kid, user_kid: limited.kid, terminal_group_kid: group_kid } as never)
      .execute()
    expect((await get(kid, limited)).name).toBe('Shop')
    for (const asked of [insert({ name: 'x' }, limited), build(kid, limited), o.call(calls.delete, { kid }, limited)])
      expect((await asked).status).toBe(403)
  })
})

it('lists: by name, state and build; choices of apps and files', async () => {
  const kid = await made({ name: 'Shop' })
  await made({ name: 'Depot' })
  await built(kid)
  await addApp(o.provider.kid, 'Agent', 'x')
  await addFile(o.acme.kid, 'b.txt', 'x')
  const paging = async (input: object): Promise<string[]> =>
    (await o.call(calls.paging, input, acme)).data.items.map(({ name }: OsCustomRow) => name)
  expect(await paging({ sort: 'name' })).toEqual(['Depot', 'Shop'])
  expect(await paging({ text: 'sho' })).toEqual(['Shop'])
  expect(await paging({ build: 'completed' })).toEqual(['Shop'])
  expect(await paging({ state: 'abandoned' })).toEqual([])
  expect((await o.call(calls.list_app, { text: 'age' }, acme)).data).toMatchObject([
    { name: 'Agent', is_inherited: true },
  ])
  expect((await o.call(calls.list_file, {}, acme)).data).toMatchObject([{ name: 'b.txt', origin: 'private' }])
  const builds: OsBuildBrief[] = (await o.call(calls.list_build, { kid }, acme)).data
  expect(builds.map(({ number }) => number)).toEqual([1])
})
