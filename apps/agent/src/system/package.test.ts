import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { packDebian } from '../../debian.mjs'
import { packagedAgents } from '../testing/packaged.ts'

const is_root = process.getuid?.() === 0
const has_dpkg = spawnSync('dpkg-deb', ['--version']).status === 0
const can_activate = is_root && spawnSync('systemd-socket-activate', ['--version']).status === 0
/** A user without rights, as systemd makes one for the agent. */
const nobody = 65_534
/** 57 MiB on Node 20, after a minute; what is above is found before it is released. */
const rest_max = 68 * 1_048_576

let packaged: Awaited<ReturnType<typeof packagedAgents>>
beforeAll(async () => void (packaged = await packagedAgents()))
afterAll(() => packaged.close())

/** What the helper answers to a line. */
const ask = (path: string, line: string) =>
  new Promise((resolve, reject) => {
    const socket = createConnection(path, () => socket.write(`${line}\n`))
    socket.on('error', reject)
    socket.once('data', (chunk) => resolve(JSON.parse(chunk.toString())))
  })

test('the bundle needs nothing beside it and little memory, and ends when it is asked to', async () => {
  const { server, device } = packaged
  const { child: running, kid } = await device('P-1', [])
  const child = running()
  expect(server.of('hello', kid)).toHaveLength(1)
  const rss = Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) * 1024
  expect(rss).toBeLessThan(rest_max)
  const ended = new Promise((resolve) => child.on('exit', resolve))
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
})

test('it tells systemd that it is ready and that it lives', async () => {
  const { folder, device } = packaged
  // In the place of systemd's own command, which says it to a socket of datagrams.
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'systemd-notify'), `#!/bin/sh\necho "$1" >> ${folder}/notified\n`, { mode: 0o755 })
  const env = { NOTIFY_SOCKET: '/run/none', WATCHDOG_USEC: '300000', PATH: `${bin}:${process.env['PATH']}` }
  await device('P-2', [], { env })
  await vi.waitFor(() => {
    const words = readFileSync(join(folder, 'notified'), 'utf8').trim().split('\n')
    expect(words[0]).toBe('READY=1')
    expect(words.filter((word) => word === 'WATCHDOG=1').length).toBeGreaterThan(1)
  })
})

test.skipIf(!has_dpkg)(
  'the Debian package is installed by dpkg, starts the bundle and is removed again (where dpkg is)',
  async () => {
    const { folder, bundle } = packaged
    const path = packDebian({ bundle, out: join(folder, 'out'), has_node: false, as: '1.2.3' })
    expect(path).toBe(join(folder, 'out/mdm-agent_1.2.3_all.deb'))
    const root = join(folder, 'root')
    for (const each of ['var/lib/dpkg/info', 'var/lib/dpkg/updates']) mkdirSync(join(root, each), { recursive: true })
    for (const each of ['status', 'available']) writeFileSync(join(root, 'var/lib/dpkg', each), '')
    const options = [
      `--root=${root}`,
      '--force-script-chrootless',
      '--force-depends',
      '--force-not-root',
      `--log=${folder}/log`,
    ]
    const dpkg = (...args: string[]) => execFileSync('dpkg', [...options, ...args], { stdio: 'pipe' })
    dpkg('-i', path)
    const starter = join(root, 'usr/bin/mdm-agent')
    // It names the places of a machine, and this is another root.
    const text = readFileSync(starter, 'utf8').replaceAll('/usr/lib/mdm-agent', join(root, 'usr/lib/mdm-agent'))
    writeFileSync(starter, text.replace('node=node', `node=${process.execPath}`))
    expect(execFileSync(starter, ['version'], { encoding: 'utf8' })).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect(statSync(starter).mode & 0o777).toBe(0o755)
    dpkg('--purge', 'mdm-agent')
    expect(existsSync(join(root, 'usr/lib/mdm-agent'))).toBe(false)
  },
)

describe.skipIf(!can_activate)(
  'an agent without rights and its helper (where systemd-socket-activate is, and the test is root)',
  () => {
    test('files and packages of root are put in place by the helper, and what the owner forbids is refused', async () => {
      const { folder, bundle, server, start, device } = packaged
      const socket = join(folder, 'helper.sock')
      const settings = join(folder, 'agent.json')
      const allowed = join(folder, 'allowed')
      mkdirSync(allowed, { mode: 0o700 })
      const lock = JSON.stringify(['sh', '-c', `id -u > ${allowed}/who; cat >> ${allowed}/who`])
      writeFileSync(
        settings,
        JSON.stringify({
          server: server.url,
          data: join(folder, 'P-3'),
          write: allowed,
          packages: 'no',
          'lock-command': lock,
        }),
      )
      const command = [process.execPath, bundle, 'helper', '--settings', settings]
      start(['systemd-socket-activate', '-l', socket, ...command])
      await vi.waitFor(() => statSync(socket))
      chownSync(socket, nobody, nobody)
      const { kid } = await device(
        'P-3',
        ['--helper', socket, '--write', allowed, '--packages', 'no', '--lock-command', lock],
        { uid: nobody },
      )
      expect(server.of('hello', kid)[0]?.inventory.package_kinds).toEqual(['zip'])
      const bytes = randomBytes(300_000)
      const push = async (path: string) => {
        const payload = { files: [{ ...server.addFile('settings.bin', bytes), path }] }
        return (await server.task(kid, { type: 'file', payload })).task_kid
      }
      await server.report(await push(join(allowed, 'etc')), 'completed')
      const place = join(allowed, 'etc/settings.bin')
      expect(readFileSync(place).equals(bytes)).toBe(true)
      expect([statSync(place).uid, statSync(place).mode & 0o777]).toEqual([0, 0o644])
      expect(await server.report(await push(folder), 'failed')).toMatchObject({ code: 'bad_path' })
      const locked = await server.task(kid, { type: 'lock', payload: { password: '1234' } })
      await server.report(locked.task_kid, 'completed')
      expect(readFileSync(join(allowed, 'who'), 'utf8')).toBe('0\n1234')
      // No work that it does not know, and nothing that is no download.
      const part = '{"part":"/etc/passwd","folder":"/tmp","name":"a","sha256":"' + 'a'.repeat(64) + '"}'
      for (const line of [`{"work":"put_file","with":[${part}]}`, '{"work":"constructor","with":[]}', 'no json'])
        expect([line, await ask(socket, line)]).toEqual([line, expect.objectContaining({ code: 'bad_task' })])
    })
  },
)
