import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { contract, osBuildSteps, osCustomLimits } from '@mdm/contract'
import { describe, expect, it, vi } from 'vitest'
import { beginUpload } from '../../../../files/upload-space.ts'
import { newKid } from '../../../../lib/ids.ts'
import { addTerminal } from '../../../../testing/devices.ts'
import {
  acme,
  acme_sub,
  addApp,
  addConfiguration,
  addFile,
  addWaiting,
  build,
  built,
  calls,
  detail,
  entriesIn,
  folder,
  get,
  globex,
  made,
  model_kid,
  o,
  over,
  packageOf,
  png,
  say,
  swept,
  uid,
  uploadPicture,
  customWorld,
  used,
} from '../../../../testing/os-custom-world.ts'
import type { Person } from '../../../../testing/os-custom-world.ts'
import { addBase } from '../../../../testing/os-customs.ts'
import { zipOf } from '../../../../testing/zip.ts'
import { otherServer } from '../../../../testing/other-server.ts'
import { buildOnce } from './build-work.ts'
import { dropOldBuilds } from './upkeep.ts'
import { osBuilds } from './wake.ts'
import { wake } from '../../../../lib/background.ts'

customWorld()

describe('a build', () => {
  it('lays the base packages over each other, then what the customer chose, and becomes an OS version of the customer', async () => {
    const own = await addApp(o.acme.kid, 'Till', 'own app')
    const platform = await addApp(o.provider.kid, 'Agent', 'platform app')
    const file = await addFile(o.acme.kid, 'prices.csv', 'a;1')
    const manual = await addFile(o.provider.kid, 'manual.pdf', 'pdf')
    const configuration_kid = await addConfiguration(o.acme.kid)
    const picture = png()
    const before = await used()
    const kid = await made({
      apps: [{ app_kid: own }, { app_kid: platform }],
      files: [
        { file_kid: file, path: '/sdcard//data/./' },
        { file_kid: manual, path: '/' },
      ],
      configuration_kid,
      picture_upload_kid: await uploadPicture(picture),
    })
    const row = await get(kid)
    expect(row).toMatchObject({ state: 'enabled', model_code: 'M102', app_count: 2, file_count: 2, build: null })
    expect([row.uid_code, row.base_uid_code]).toEqual(['NM11602S1E0ENGEN0002', uid])
    const done = await built(kid)
    expect(done).toMatchObject({
      state: 'completed',
      step: 'launching',
      os_version: '9.00.123_CD01',
      ver: 1,
      release: 'draft',
    })
    expect(done.contents.file_name).toBe('M102_NM11602S1E0ENGEN0002_9.00.123_CD01.zip')
    expect(done.contents.apps.map((app) => [app.package, app.is_inherited])).toEqual([
      ['com.example.till', false],
      ['com.example.agent', true],
    ])
    const entries = await entriesIn(await packageOf(done))
    const manifest = JSON.parse(entries.get('DOWNLOAD/custom/custom.json')!)
    expect(Object.fromEntries(entries)).toMatchObject({
      'DOWNLOAD/system.img': 'system',
      'DOWNLOAD/vendor.img': 'vendor',
      'DOWNLOAD/etc/base.properties': 'a=1\n',
      'DOWNLOAD/custom/apps/com.example.till-12.apk': 'own app',
      'DOWNLOAD/custom/apps/com.example.agent-12.apk': 'platform app',
      'DOWNLOAD/custom/files/sdcard/data/prices.csv': 'a;1',
      'DOWNLOAD/custom/files/manual.pdf': 'pdf',
    })
    expect([...entries.keys()]).toEqual([...entries.keys()].toSorted())
    expect(manifest).toMatchObject({ format: 'mdm-custom-1', name: 'Shop', base_os_version: 'm102_9.00.123' })
    expect(manifest.files.map((one: { target: string }) => one.target)).toEqual([
      '/sdcard/data/prices.csv',
      '/manual.pdf',
    ])
    // Secrets stay on the server.
    expect(manifest.configuration).toEqual({ file: 'config.json', left_out: ['wifi_profiles'] })
    expect(JSON.parse(entries.get('DOWNLOAD/custom/config.json')!)).toEqual({ display: { level: 80 } })
    expect((await used()) - before).toBe(done.size! + picture.length)
    expect(done.lines.map(({ event }) => event)).toEqual([
      'queued',
      'began',
      ...['copied', 'copied', 'copied', 'step_done'],
      ...['copied', 'copied', 'copied', 'copied', 'copied', 'config_left_out', 'step_done'],
      ...['packed', 'checked', 'step_done'],
      ...['stored', 'step_done'],
      'registered',
    ])
    await swept(done.kid)
  })

  it('of the same things twice makes the same bytes, under the next number', async () => {
    const app_kid = await addApp(o.acme.kid, 'Till', 'x'.repeat(100_000))
    const kid = await made({ apps: [{ app_kid }], picture_upload_kid: await uploadPicture(png()) })
    const first = await built(kid)
    const second = await built(kid)
    expect([first.os_version, second.os_version]).toEqual(['9.00.123_CD01', '9.00.123_CD02'])
    expect(second.sha256).toBe(first.sha256)
    expect((await packageOf(second)).equals(await packageOf(first))).toBe(true)
  })

  it.each(osBuildSteps)(
    'that a server left in "%s" ends as if it had not, whatever that server left behind',
    async (step) => {
      const kid = await made({ files: [{ file_kid: await addFile(o.acme.kid, 'a.txt', 'a'), path: '/a' }] })
      const whole = await built(kid)
      const { db } = o.deps
      for (const leaves_object of [true, false]) {
        const before = await detail(whole.kid)
        // Its worker tidies up last.
        await swept(whole.kid)
        await db.deleteFrom('os_version').where('kid', '=', before.os_version_kid!).execute()
        if (!leaves_object) await o.deps.objects.delete(whole.kid)
        // Half of a file, as a kill leaves it.
        await rm(join(folder, 'os-builds', whole.kid), { recursive: true, force: true })
        await db
          .updateTable('os_build')
          .set({ state: 'running', step, worked_by: newKid() })
          .where('kid', '=', whole.kid)
          .execute()
        wake(o.deps, osBuilds)
        const again = await over(whole.kid)
        expect(again).toMatchObject({ state: 'completed', sha256: whole.sha256, size: whole.size, release: 'draft' })
        expect(again.lines.map(({ event }) => event)).toContain('resumed')
        expect(await o.deps.objects.info(whole.kid)).toMatchObject({ sha256: whole.sha256 })
        const versions = await db.selectFrom('os_version').select('kid').execute()
        expect(versions).toHaveLength(1)
      }
      // Beside the file itself, of one byte.
      expect(await used()).toBe(whole.size! + 1)
    },
  )

  it('at which another server works is left to it while that lives', async () => {
    const kid = await made()
    const { build_kid } = await addWaiting(kid)
    const other = await otherServer(o.deps)
    await o.deps.db
      .updateTable('os_build')
      .set({ state: 'running', worked_by: other.node_kid, next_at: null })
      .where('kid', '=', build_kid)
      .execute()
    expect(await buildOnce(o.deps)).toBe(false)
    await other.die()
    expect(await buildOnce(o.deps)).toBe(true)
  })

  it('runs alone in its account, beside one of another; the next waits its turn', async () => {
    const [one, two] = [await made({ name: 'One' }), await made({ name: 'Two' })]
    const other = await made({ name: 'One' }, globex)
    const began = await Promise.all([build(one), build(two), build(other, globex)])
    expect(began.map(({ result }) => result)).toEqual([1, 1, 1])
    const [a, b] = [await over(began[0]!.data.build_kid), await over(began[1]!.data.build_kid)]
    const c = await over(began[2]!.data.build_kid, globex)
    expect([a.state, b.state, c.state]).toEqual(['completed', 'completed', 'completed'])
    await expect(
      o.deps.db.updateTable('os_build').set({ state: 'running' }).where('account_kid', '=', o.acme.kid).execute(),
    ).rejects.toMatchObject({ constraint: 'os_build_running' })
  })

  it('fails with a reason, makes its custom OS abnormal, and goes on from the step that failed', async () => {
    const file_kid = await addFile(o.acme.kid, 'a.txt', 'content')
    const kid = await made({ files: [{ file_kid, path: '/a' }] })
    // Its bytes are gone from the store, not its row.
    await o.deps.objects.delete(file_kid)
    const failed = await built(kid)
    expect(failed).toMatchObject({
      state: 'failed',
      step: 'preparing',
      fault: expect.stringContaining('a.txt no longer exists'),
    })
    expect((await get(kid)).state).toBe('abnormal')
    // Whoever makes builds fail one after another fills no disk by it.
    expect(await readdir(join(folder, 'os-builds'))).toEqual([])
    expect(await used()).toBe('content'.length)
    await o.deps.objects.put(file_kid, Readable.from([Buffer.from('other!!')]), 100)
    const retried = await o.call(calls.retry_build, { kid: failed.kid }, acme)
    expect(retried.result).toBe(1)
    expect(await over(failed.kid)).toMatchObject({ state: 'failed', step: 'preparing' })
    await o.deps.objects.delete(file_kid)
    await o.deps.objects.put(file_kid, Readable.from([Buffer.from('content')]), 100)
    await o.call(calls.retry_build, { kid: failed.kid }, acme)
    const done = await over(failed.kid)
    expect(done).toMatchObject({ state: 'completed', fault: null })
    expect((await get(kid)).state).toBe('enabled')
    const copied = done.lines.filter(({ event, step }) => event === 'copied' && step === 'downloading')
    expect(copied).toHaveLength(3)
    expect(await say(o.call(calls.retry_build, { kid: failed.kid }, acme))).toBe(
      'Only a build that failed can be tried again.',
    )
  })

  it('that finds no room on the account says so, and goes on once there is', async () => {
    const kid = await made()
    const space = (max_bytes: number) =>
      o.deps.db
        .updateTable('disk_space')
        .set({ max_bytes })
        .where('account_kid', '=', o.acme.kid)
        .where('area', '=', 'file_disk')
        .execute()
    await space(100)
    const failed = await built(kid)
    // Before anything of it was copied.
    expect(failed).toMatchObject({ state: 'failed', step: 'downloading' })
    expect(failed.lines.map(({ event }) => event)).toEqual(['queued', 'began', 'failed'])
    expect([await used(), await readdir(join(folder, 'os-builds'))]).toEqual([0, []])
    await space(10 * 1024 ** 3)
    await o.call(calls.retry_build, { kid: failed.kid }, acme)
    expect(await over(failed.kid)).toMatchObject({ state: 'completed' })
  })

  it('finds no room where uploads that are on their way need it', async () => {
    const kid = await made()
    const { kid: account_kid } = o.acme
    const { max_bytes } = await o.deps.db
      .selectFrom('disk_space')
      .select('max_bytes')
      .where('account_kid', '=', account_kid)
      .where('area', '=', 'file_disk')
      .executeTakeFirstOrThrow()
    const upload = { account_kid, user_kid: acme.kid, name: 'map.bin', area: 'file_disk', fingerprint: '' } as const
    const begun = await beginUpload(o.deps, { ...upload, size: max_bytes! - (await used()) - 100 })
    const failed = await built(kid)
    expect(failed).toMatchObject({ state: 'failed', step: 'downloading' })
    expect(failed.fault).toBe('The storage space of this account is used up.')
    await o.deps.db.deleteFrom('upload').where('kid', '=', begun.kid).execute()
    await o.call(calls.retry_build, { kid: failed.kid }, acme)
    expect(await over(failed.kid)).toMatchObject({ state: 'completed' })
  })

  it('of packages that do not fit together names what is at odds', async () => {
    const odd = await addBase(o.deps, model_kid, 'm102_9.00.124', {
      config: await zipOf([['DOWNLOAD/system.img/a', 'a']]),
    })
    const failed = await built(await made({ base_kid: odd }))
    expect(failed).toMatchObject({
      state: 'failed',
      step: 'packaging',
      fault: expect.stringContaining('DOWNLOAD/system.img'),
    })
  })

  const gone = async (table: 'oscs_file' | 'file_cloud') => {
    const { object } = await o.deps.db.selectFrom(table).select('object').executeTakeFirstOrThrow()
    await o.deps.objects.delete(object!)
  }
  const failures: [step: (typeof osBuildSteps)[number], make: () => Promise<string>][] = [
    [
      'downloading',
      async () => {
        await gone('oscs_file')
        return made()
      },
    ],
    [
      'preparing',
      async () => {
        const kid = await made({ files: [{ file_kid: await addFile(o.acme.kid, 'a.txt', 'content'), path: '/a' }] })
        await gone('file_cloud')
        return kid
      },
    ],
    [
      'packaging',
      async () =>
        made({
          base_kid: await addBase(o.deps, model_kid, 'm102_9.00.124', {
            config: await zipOf([['DOWNLOAD/system.img/a', 'a']]),
          }),
        }),
    ],
  ]
  it.each(failures)('that fails in "%s" again and again leaves and counts no byte, each time', async (step, make) => {
    const kid = await make()
    const bytes = async () => [
      // Objects and the folders of builds lie in it.
      (await readdir(folder, { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile())
        .map(({ name }) => name)
        .toSorted(),
      await used(),
      await o.deps.db.selectFrom('os_build').select('kid').where('held_bytes', '>', 0).execute(),
    ]
    const before = await bytes()
    for (let tries = 0; tries < 3; tries++) {
      const failed = await built(kid)
      expect(failed).toMatchObject({ state: 'failed', step })
      expect(await bytes()).toEqual(before)
      expect((await o.call(calls.retry_build, { kid: failed.kid }, acme)).result).toBe(1)
      expect(await over(failed.kid)).toMatchObject({ state: 'failed', step })
      expect(await bytes()).toEqual(before)
    }
  })

  it('that is canceled leaves nothing behind', async () => {
    const kid = await made()
    const before = await used()
    const { build_kid } = (await build(kid)).data
    const canceled = await o.call(calls.cancel_build, { kid: build_kid }, acme)
    const end = await over(build_kid)
    if (canceled.result === 1) {
      expect(end.state).toBe('canceled')
      await vi.waitFor(async () => expect(await readdir(join(folder, 'os-builds'))).not.toContain(build_kid))
      expect([await used(), await o.deps.objects.info(build_kid)]).toEqual([before, undefined])
    }
    expect((await get(kid)).state).toBe('enabled')
    expect(await say(o.call(calls.cancel_build, { kid: build_kid }, acme))).toBe('This build is over.')
    expect((await built(kid)).os_version).toBe('9.00.123_CD02')
  })

  it('counts against an hourly limit, also when it was deleted', async () => {
    const kid = await made()
    const done = await built(kid)
    expect((await o.call(calls.delete_build, { kid: done.kid }, acme)).result).toBe(1)
    const at = o.deps.clock.now()
    await o.deps.db
      .insertInto('os_build_start')
      .values(
        Array.from({ length: osCustomLimits.builds_per_hour - 1 }, () => ({
          kid: newKid(),
          account_kid: o.acme.kid,
          at,
        })),
      )
      .execute()
    expect(await say(build(kid))).toContain('at most 20 times within an hour')
    expect((await build(await made({}, globex), globex)).result).toBe(1)
    await o.deps.clock.advance(3_600_001)
    expect((await built(kid)).state).toBe('completed')
  })
})

describe('what was built', () => {
  const manages = (kid: string) => o.call(contract.opsOsVersion.calls.get, { kid }, o.operator)

  it('is released by its customer, for its customer, and pushed like any other', async () => {
    const kid = await made()
    const done = await built(kid)
    expect(await say(o.call(calls.take_offline, { kid: done.kid, cancels_tasks: false }, acme))).toContain(
      'not possible',
    )
    expect((await o.call(calls.release_build, { kid: done.kid }, globex)).status).toBe(404)
    expect((await o.call(calls.release_build, { kid: done.kid }, acme)).result).toBe(1)
    expect((await get(kid)).released).toEqual(['9.00.123_CD01'])
    const terminal_kid = await addTerminal(o.deps, o.acme.kid, { sn: 'CUSTOM-1' })
    await o.deps.db
      .updateTable('terminal')
      .set({ uid, os_version: '9.00.123', version_code: 100, ver: 7 })
      .where('kid', '=', terminal_kid)
      .execute()
    const pushable = async (who: Person) => (await o.call(contract.osVersion.calls.list, {}, who)).data.items
    expect((await pushable(acme)).map((one) => [one.os_version, one.type, one.devices])).toEqual([
      ['9.00.123_CD01', 'custom', 1],
    ])
    expect(await pushable(globex)).toEqual([])
    // What a root has as a whole, its sub-accounts have as well (decision 035).
    expect((await pushable(acme_sub)).map((one) => one.os_version)).toEqual(['9.00.123_CD01'])
    expect(await say(o.call(calls.delete_build, { kid: done.kid }, acme))).toContain('9.00.123_CD01 is released')
    expect(await say(o.call(calls.delete, { kid }, acme))).toContain('9.00.123_CD01 is released')
    // It stays out while another one is built, and when its custom OS is given up.
    await built(kid)
    await o.call(calls.abandon, { kid }, acme)
    expect((await pushable(acme)).map((one) => one.os_version)).toEqual(['9.00.123_CD01'])
    const task = {
      type: 'os' as const,
      payload: { os_version_kid: done.os_version_kid! },
      terminal_kids: [terminal_kid],
    }
    expect((await o.call(contract.pushTask.calls.insert, task, acme)).result).toBe(1)
    const pushing = async (who: Person) => o.call(calls.pushing, { kid: done.kid }, who)
    expect((await pushing(acme)).data).toEqual({ customers: 1, tasks: 1, devices: 1 })
    expect((await pushing(globex)).status).toBe(404)
    await o.call(calls.take_offline, { kid: done.kid, cancels_tasks: true }, acme)
    expect(await pushable(acme)).toEqual([])
    // Nothing can be deleted before its pushes are over.
    await vi.waitFor(async () => expect((await pushing(acme)).data.tasks).toBe(0))
    const before = await used()
    expect((await o.call(calls.delete, { kid }, acme)).result).toBe(1)
    expect([before > 0, await used()]).toEqual([true, 0])
    expect(await o.deps.objects.info(done.kid)).toBeUndefined()
    expect(await o.deps.db.selectFrom('os_version').selectAll().execute()).toEqual([])
    expect(await o.deps.db.selectFrom('os_uid').select('type').execute()).toEqual([{ type: 'standard' }])
  })

  it('is downloaded by its account and by the provider, which the operation log names', async () => {
    const done = await built(await made())
    const sign = vi.spyOn(o.deps, 'signFile')
    const load = (who: Person) => o.call(calls.download_build, { kid: done.kid }, who)
    expect((await load(globex)).status).toBe(404)
    expect((await load(acme_sub)).status).toBe(404)
    expect((await load(acme)).data).toEqual({ url: `/files/${done.kid}` })
    const { packages } = (await manages(done.os_version_kid!)).data
    const { download_package } = contract.opsOsVersion.calls
    const kid = packages[0]!.kid
    expect((await o.call(download_package, { kid }, acme)).status).toBe(403)
    expect((await o.call(download_package, { kid }, o.operator)).data).toEqual({ url: `/files/${done.kid}` })
    const file = 'M102_NM11602S1E0ENGEN0002_9.00.123_CD01.zip'
    const named = [done.kid, { name: file, content_type: 'application/zip' }]
    expect(sign.mock.calls).toEqual([named, named])
    sign.mockRestore()
    const logged = await o.deps.db
      .selectFrom('operation_log')
      .select(['module_code', 'tracks'])
      .where('action_code', 'like', 'download_%')
      .where('result', '=', 1)
      .orderBy('created_at')
      .execute()
    expect(logged.map(({ module_code }) => module_code)).toEqual(['os_custom', 'ops/os_version'])
    for (const { tracks } of logged) expect(JSON.stringify(tracks)).toContain(file)
  })

  it('is operated by its account alone: the provider sees it and changes nothing', async () => {
    const done = await built(await made())
    const version = (await manages(done.os_version_kid!)).data
    expect(version).toMatchObject({ is_own: false, type: 'custom', state: 'draft' })
    const kid = done.os_version_kid!
    for (const asked of [
      o.call(contract.opsOsVersion.calls.release, { kid }, o.operator),
      o.call(contract.opsOsVersion.calls.delete, { kid }, o.operator),
      o.call(
        contract.opsOsVersion.calls.save_audience,
        {
          kid,
          mode: 'launched',
          is_for_all: false,
          accounts: [{ account_kid: o.globex.kid, terminal_group_kids: null }],
        },
        o.operator,
      ),
    ])
      expect((await asked).status).toBe(403)
    // An operator inside of the customer acts for it.
    await o.call(contract.opsAccount.calls.enter, { kid: o.acme.kid }, o.operator)
    const inside = { token: o.operator.token }
    expect((await o.call(calls.release_build, { kid: done.kid }, inside)).result).toBe(1)
    await o.call(contract.opsAccount.calls.leave, {}, o.operator)
  })

  it('of a custom OS that devices report keeps its UID when it is deleted', async () => {
    const kid = await made()
    const { uid_code } = await get(kid)
    const terminal_kid = await addTerminal(o.deps, o.acme.kid, { sn: 'CUSTOM-2' })
    await o.deps.db.updateTable('terminal').set({ uid: uid_code }).where('kid', '=', terminal_kid).execute()
    expect((await o.call(calls.delete, { kid }, acme)).result).toBe(1)
    const left = await o.deps.db.selectFrom('os_uid').select('code').where('type', '=', 'custom').execute()
    expect(left).toEqual([{ code: uid_code }])
  })
})

it('files that a killed server left of a build that is over go', async () => {
  const done = await built(await made())
  await swept(done.kid)
  for (const name of [done.kid, newKid()]) await mkdir(join(folder, 'os-builds', name))
  await writeFile(join(folder, 'os-builds', 'not-ours'), '')
  await dropOldBuilds(o.deps)
  expect(await readdir(join(folder, 'os-builds'))).toEqual(['not-ours'])
  await rm(join(folder, 'os-builds', 'not-ours'))
})
