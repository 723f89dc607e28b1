import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fileViewer } from '@mdm/server/testing/file-viewer.ts'
import { menderOf } from '@mdm/server/testing/os-images.ts'
import { addUid } from '@mdm/server/testing/os-versions.ts'
import { viewerEnd } from '@mdm/server/testing/remote.ts'
import { releaseOs } from '../os-release.ts'
import { confirmPasswords } from '../sweeps/stage.ts'
import { until } from '../until.ts'
import { world } from '../world.ts'
import type { World } from '../world.ts'
import { menderClient, without_connect, without_mender } from './client.ts'

const absent = without_mender()
const uid = 'till'
/** A shell says its prompt sooner, on a slow machine, too. */
const silent_ms = 15_000

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
    const row = await until('it to say what it is', () => rowOf(mac))
    expect(row).toMatchObject({ kid, agent_kind: 'mender', uid, os_version: '1.0.0', is_online: true })
  })

  test('installs the file of an artifact that is pushed, and says that it failed to install another', async () => {
    const mac = '02:00:00:00:00:02'
    await using client = await menderClient({ server: w.url, token: at_once, mac })
    const { kid } = await until('it to join', () => rowOf(mac))
    const good = await push(kid, file(join(client.home, 'installed'), 'prices.txt', 'milk 2.10'))
    await until('it to be installed', async () => (await good.row()).state === 'completed')
    expect(await readFile(join(client.home, 'installed/prices.txt'), 'utf8')).toBe('milk 2.10')
    await until('its version to be told', async () => (await rowOf(mac))?.os_version === good.os_version)

    const bad = await push(kid, file('', 'nowhere.txt', 'x'))
    const failed = await until('it to fail', async () => {
      const row = await bad.row()
      return row.state === 'failed' && row
    })
    expect(failed.code).toBe('command_failed')
    expect(failed.message).toMatch(/exit status 1|ArtifactInstall/i)
    expect((await rowOf(mac))?.os_version).toBe(good.os_version)
  }, 300_000)

  test('does not install what was canceled before', async () => {
    const mac = '02:00:00:00:00:03'
    await using client = await menderClient({ server: w.url, token: at_once, mac })
    const { kid } = await until('it to join', () => rowOf(mac))
    const hold = await client.holdDownloads()
    const pushed = await push(kid, file(join(client.home, 'installed'), 'prices.txt', 'milk 2.10'))
    await until('it to begin', hold.is_held)
    await w.customers[0]!.pushTask.cancel({ push_task_kid: pushed.kid })
    await hold.go()
    await until('it to end', async () => (await pushed.row()).state === 'canceled')
    await until('the client to give up', async () => /abort/i.test(await client.log()))
    expect(existsSync(join(client.home, 'installed/prices.txt'))).toBe(false)
  }, 300_000)

  const no_connect = without_connect()
  test.skipIf(no_connect)(
    `opens a shell and gives and takes files by mender-connect${no_connect && `: left out, there is no ${no_connect}`}`,
    async () => {
      const mac = '02:00:00:00:00:04'
      const call = w.customers[0]!
      await using client = await menderClient({ server: w.url, token: at_once, mac, with_connect: true })
      const { kid: terminal_kid } = await until('it to join', () => rowOf(mac))
      const settings = await call.terminalRemote.settings({})
      await confirmPasswords(w)
      await call.terminalRemote.update_settings({ ...settings, consent: 'notify', terminal: true })
      const { db } = w.server.deps
      const opens = () =>
        db.selectFrom('terminal').select('tunnels').where('kid', '=', terminal_kid).executeTakeFirstOrThrow()
      await until('mender-connect to come', async () => (await opens()).tunnels?.join() === 'terminal,files')

      const begin = async () =>
        viewerEnd(w.url, await call.terminalRemote.open_terminal({ terminal_kid, columns: 91, rows: 33 }))
      let shell = await begin()
      // mender-connect 2.1 may never read what a shell says: its reader ends where it looks whether the shell runs before that is
      // noted. As a person would, one opens another.
      const isSilent = async () => {
        for (const since = Date.now(); shell.bytes().length === 0; await delay(100))
          if (Date.now() - since > silent_ms) return true
        return false
      }
      for (let n = 1; n < 6 && (await isSilent()); n++) {
        shell.socket.close()
        shell = await begin()
      }
      shell.socket.send(Buffer.from('stty size; echo sum-$((6 * 7))\n'))
      // Where nothing comes, what was told of the session says why.
      const shown = () => `${shell.bytes().toString()} ${JSON.stringify(shell.texts)}`
      await expect.poll(shown).toMatch(/33 91[^]*sum-42/)
      shell.socket.send(Buffer.from('exit\n'))
      expect(await shell.closed).toMatchObject({ code: 4000 })

      const viewer = fileViewer(await viewerEnd(w.url, await call.terminalRemote.open_files({ terminal_kid })))
      const bytes = randomBytes(300_000)
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      const put = { path: client.home, name: 'sent.bin', size: bytes.length, sha256 }
      expect(await viewer.ask({ put })).toMatchObject({ position: 0 })
      const part = 100_000
      for (let from = 0; from < bytes.length; from += part)
        await viewer.ask({ write: { length: part } }, bytes.subarray(from, from + part))
      const path = join(client.home, 'sent.bin')
      expect(await viewer.ask({ place: true })).toMatchObject({ done: path })
      expect((await readFile(path)).equals(bytes)).toBe(true)
      const read = (offset: number) => viewer.ask({ read: { path, offset, length: part } })
      const parts = await Promise.all([0, part, 2 * part, 3 * part].map(read))
      expect(Buffer.concat(parts.map((each) => each.bytes!)).equals(bytes)).toBe(true)
      expect((await read(part)).bytes!.equals(bytes.subarray(part, 2 * part))).toBe(true)
      expect(await viewer.ask({ read: { path: '/none', offset: 0, length: 1 } })).toMatchObject({
        error: { code: 'refused' },
      })
    },
  )
})
