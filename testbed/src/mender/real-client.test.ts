import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { menderOf } from '@mdm/server/testing/os-images.ts'
import { addUid } from '@mdm/server/testing/os-versions.ts'
import { releaseOs } from '../os-release.ts'
import { confirmPasswords } from '../sweeps/stage.ts'
import { until } from '../until.ts'
import { world } from '../world.ts'
import type { World } from '../world.ts'
import { menderClient, without_mender } from './client.ts'

const absent = without_mender()
const uid = 'till'
const seconds = 40

describe.skipIf(absent !== '')(`Debian's Mender client${absent && `: left out, ${absent}`}`, () => {
  let w: World
  let uid_kid: string
  let at_once: string
  let version_code = 1
  beforeAll(async () => {
    w = await world({ env: { MDM_GATEWAY_MENDER: '1' } })
    uid_kid = await addUid(w.server.deps, uid)
    at_once = await codeOf(false)
  })
  afterAll(() => w[Symbol.asyncDispose]())

  async function codeOf(needs_approval: boolean) {
    const { token_url } = await w.customers[0]!.terminalQrcode.qrcode_forever_registered({ needs_approval })
    return new URL(token_url).searchParams.get('qr')!
  }
  const rowOf = async (mac: string) =>
    (await w.customers[0]!.terminal.paging({ page_size: 100 })).items.find(
      ({ name, os_version }) => name === `mac=${mac}` && os_version !== '',
    )
  /** An artifact that the module single-file installs, pushed to one device. */
  async function push(terminal_kid: string, files: [string, string][]) {
    version_code += 1
    const version = { os_version: `${version_code}.0.0`, version_code, ver: version_code }
    const bytes = menderOf(`till-${version.os_version}`, [uid], { files })
    const os_version_kid = await releaseOs(w.operator, {
      uid_kid,
      uid,
      version,
      file: { name: `m_${uid}_full.mender`, bytes },
    })
    await confirmPasswords(w)
    const call = w.customers[0]!
    const { kid } = await call.pushTask.insert({
      type: 'os',
      payload: { os_version_kid },
      terminal_kids: [terminal_kid],
    })
    const { db } = w.server.deps
    const rows = db.selectFrom('push_task_terminal').selectAll().where('push_task_kid', '=', kid)
    return { kid, os_version: version.os_version, row: () => rows.executeTakeFirstOrThrow() }
  }
  const file = (folder: string, name: string, content: string): [string, string][] => [
    ['dest_dir', folder],
    ['filename', name],
    ['permissions', '644'],
    [name, content],
  ]

  test('waits until it is let in, and is there with what it says', async () => {
    const call = w.customers[0]!
    const mac = '02:00:00:00:00:01'
    await using _client = await menderClient({ server: w.url, token: await codeOf(true), mac })
    const waiting = await until('it to wait', async () => (await call.terminalQrcode.paging_waiting({})).items[0])
    expect(waiting).toMatchObject({ identity: `mac=${mac}`, agent_kind: 'mender', is_known: false })
    const { kid } = await call.terminalQrcode.accept_waiting({ kid: waiting.kid })
    const row = await until('it to say what it is', () => rowOf(mac), seconds)
    expect(row).toMatchObject({ kid, agent_kind: 'mender', uid, os_version: '1.0.0', is_online: true })
  }, 150_000)

  test('installs the file of an artifact that is pushed, and says that it failed to install another', async () => {
    const mac = '02:00:00:00:00:02'
    await using client = await menderClient({ server: w.url, token: at_once, mac })
    const { kid } = await until('it to join', () => rowOf(mac), seconds)
    const good = await push(kid, file(join(client.home, 'installed'), 'prices.txt', 'milk 2.10'))
    await until('it to be installed', async () => (await good.row()).state === 'completed', seconds)
    expect(await readFile(join(client.home, 'installed/prices.txt'), 'utf8')).toBe('milk 2.10')
    await until('its version to be told', async () => (await rowOf(mac))?.os_version === good.os_version, seconds)

    const bad = await push(kid, file('', 'nowhere.txt', 'x'))
    const failed = await until(
      'it to fail',
      async () => {
        const row = await bad.row()
        return row.state === 'failed' && row
      },
      seconds,
    )
    expect(failed.code).toBe('command_failed')
    expect(failed.message).toMatch(/exit status 1|ArtifactInstall/i)
    expect((await rowOf(mac))?.os_version).toBe(good.os_version)
  }, 300_000)

  test('does not install what was canceled before', async () => {
    const mac = '02:00:00:00:00:03'
    await using client = await menderClient({ server: w.url, token: at_once, mac })
    const { kid } = await until('it to join', () => rowOf(mac), seconds)
    const hold = await client.holdDownloads()
    const pushed = await push(kid, file(join(client.home, 'installed'), 'prices.txt', 'milk 2.10'))
    await until('it to begin', hold.is_held, seconds)
    await w.customers[0]!.pushTask.cancel({ push_task_kid: pushed.kid })
    await hold.go()
    await until('it to end', async () => (await pushed.row()).state === 'canceled', seconds)
    await until('the client to give up', async () => /abort/i.test(await client.log()), seconds)
    expect(existsSync(join(client.home, 'installed/prices.txt'))).toBe(false)
  }, 300_000)
})
