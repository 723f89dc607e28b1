import { once } from 'node:events'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { apps_max, linuxApps } from './linux-apps.ts'
import { systemRoots } from './linux-read.ts'
import { parseSockets, readSockets } from './linux-sockets.ts'
import type { Socket } from './linux-sockets.ts'
import { linuxUsage } from './linux-usage.ts'

let folder: string
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'mdm-apps-'))))
afterAll(() => rm(folder, { recursive: true, force: true }))

// iproute2 6.1; the last process calls itself what would be taken for numbers.
const recorded = `
ESTAB 0      0      192.0.2.2:43702 198.51.100.7:443 users:(("chromium",pid=7363,fd=178)) timer:(keepalive,34sec,0) uid:1000 ino:1549496 sk:a1 cgroup:/user.slice <-> ts sack bbr wscale:10,10 rto:216 bytes_sent:3650 bytes_retrans:100 bytes_acked:3551 bytes_received:10454 segs_out:20 bbr:(bw:13797046872bps,mrtt:0.019) rwnd_limited:12ms(100.0%) minrtt:0.019
TIME-WAIT 0      0      192.0.2.2:50000 198.51.100.7:443 timer:(timewait,54sec,0) ino:0 sk:a2
ESTAB 0      0      [::ffff:192.0.2.2]:22 [::ffff:198.51.100.9]:61000 users:(("sshd",pid=11,fd=4),("sshd",pid=9,fd=4)) ino:3 sk:a3 cgroup:/ <-> cubic bytes_acked:7 bytes_received:9
ESTAB 0      0      [fe80::1]%eth0:9000 [fe80::2]%eth0:40 users:(("b)) sk:1 by",pid=5,fd=6)) ino:4 sk:a4 cgroup:/ <-> cubic bytes_received:5
nonsense
`

test('the output of ss becomes connections', () => {
  expect(parseSockets(recorded)).toEqual([
    { id: 'a1', local: '192.0.2.2', peer: '198.51.100.7', pid: '7363', received: 10454, sent: 3551 },
    { id: 'a2', local: '192.0.2.2', peer: '198.51.100.7', pid: undefined, received: 0, sent: 0 },
    { id: 'a3', local: '192.0.2.2', peer: '198.51.100.9', pid: '9', received: 9, sent: 7 },
    { id: 'a4', local: 'fe80::1', peer: 'fe80::2', pid: '5', received: 5, sent: 0 },
  ])
})

describe('bytes by app', () => {
  const day = '2026-03-01'
  const roots = () => ({ proc: join(folder, 'proc'), sys: join(folder, 'sys') })
  const process = async (pid: number, program: string) => {
    await mkdir(join(roots().proc, String(pid)), { recursive: true })
    await symlink(program, join(roots().proc, String(pid), 'exe'))
  }
  const interfaces = async (eth0: [number, number]) => {
    await mkdir(join(roots().proc, 'net'), { recursive: true })
    const line = (name: string, [received, sent]: [number, number]) =>
      `  ${name}: ${received} 1 0 0 0 0 0 0 ${sent} 1 0 0 0 0 0 0\n`
    await writeFile(join(roots().proc, 'net/dev'), `${line('lo', [9e9, 9e9])}${line('eth0', eth0)}`)
  }
  const socket = (id: string, pid: string | undefined, received: number, sent = 0, more: Partial<Socket> = {}) => ({
    id,
    pid,
    received,
    sent,
    local: '192.0.2.2',
    peer: '198.51.100.7',
    ...more,
  })
  const own = new Map([
    ['127.0.0.1', 'lo'],
    ['192.0.2.2', 'eth0'],
    ['172.17.0.1', 'docker0'],
  ])
  let open_sockets: Socket[] | undefined
  const openUsage = () =>
    linuxUsage({
      roots: roots(),
      data: folder,
      now: () => new Date(`${day}T12:00:00Z`),
      sockets: async () => open_sockets,
      addresses: () => own,
    })
  const of = (app: string | undefined, received: number, sent: number) => ({
    day,
    network: 'ethernet',
    ...(app === undefined ? {} : { app }),
    received,
    sent,
  })

  test('add up with the rest to what the interfaces counted, also over a restart of the agent', async () => {
    await process(10, '/usr/lib/chromium/chromium')
    await process(11, '/opt/till/till (deleted)')
    let usage = openUsage()
    await interfaces([1000, 100])
    open_sockets = [socket('1', '10', 500)]
    expect(await usage.read('boot')).toEqual([])

    await interfaces([2000, 300])
    open_sockets = [
      socket('1', '10', 700, 20),
      socket('2', '11', 100, 50),
      // With itself, of a container's bridge, and of a process that may not be looked at.
      socket('3', '10', 9999, 0, { peer: '172.17.0.1' }),
      socket('4', '10', 9999, 0, { local: '127.0.0.1' }),
      socket('5', '10', 9999, 0, { local: '172.17.0.1' }),
      socket('6', undefined, 50),
    ]
    await usage.watch('boot')
    // Its process is gone, and what it carried since is still its own.
    open_sockets = [socket('1', undefined, 800, 20)]
    expect(await usage.read('boot')).toEqual([of('chromium', 300, 20), of('till', 100, 50), of(undefined, 600, 130)])

    // Of what passed while the agent did not run nobody can say whose it was.
    usage = openUsage()
    await interfaces([2500, 300])
    open_sockets = [socket('1', '10', 900, 20), socket('7', '11', 400)]
    expect(await usage.read('boot')).toEqual([of('chromium', 300, 20), of('till', 100, 50), of(undefined, 1100, 130)])
    await interfaces([2600, 300])
    open_sockets = [socket('7', '11', 450)]
    expect((await usage.read('boot')).slice(1)).toEqual([of('till', 150, 50), of(undefined, 1150, 130)])
  })

  test('are told of so many apps and no more, and of none where there is no ss', async () => {
    const pids = Array.from({ length: apps_max + 5 }, (_, n) => 1000 + n)
    for (const pid of pids) await process(pid, `/opt/app-${pid}`)
    const usage = openUsage()
    open_sockets = []
    await usage.read('boot')
    await interfaces([100_000, 300])
    open_sockets = pids.map((pid) => socket(`many-${pid}`, String(pid), 10))
    const totals = await usage.read('boot')
    expect(totals.filter(({ app }) => app !== undefined)).toHaveLength(apps_max)
    expect(totals.reduce((sum, { received }) => sum + received, 0)).toBe(100_000 - 1000)

    open_sockets = undefined
    await interfaces([100_500, 300])
    await usage.read('boot')
    open_sockets = [socket('later', '10', 400)]
    await interfaces([101_000, 300])
    const after = await usage.read('boot')
    expect(after.filter(({ app }) => app !== undefined)).toEqual(totals.filter(({ app }) => app !== undefined))
  })
})

const ss_missing = (await readSockets()) ? undefined : 'no ss that knows these options: apt-get install -y iproute2'
describe.skipIf(ss_missing)(ss_missing ? `left out: ${ss_missing}` : 'the real ss', () => {
  test('tells the bytes of this process from a connection that it opened', async () => {
    const server = createServer((socket) => socket.pipe(socket))
    await once(server.listen(0, '127.0.0.2'), 'listening')
    // The other end counts as elsewhere, and this end's address as that of a real interface.
    const apps = linuxApps({ roots: systemRoots, addresses: () => new Map([['127.0.0.1', 'eth0']]) })
    const networks = { eth0: { network: 'ethernet' as const } }
    await apps.look(networks)
    apps.take()
    const client = connect({
      port: (server.address() as AddressInfo).port,
      host: '127.0.0.2',
      localAddress: '127.0.0.1',
    })
    let echoed = 0
    client.on('data', (chunk) => void (echoed += chunk.length))
    await once(client, 'connect')
    client.write(Buffer.alloc(100_000))
    await expect.poll(() => echoed).toBe(100_000)
    await apps.look(networks)
    const mine = apps.take().find(({ app }) => app === basename(process.execPath))
    expect(mine?.received).toBeGreaterThanOrEqual(100_000)
    expect(mine?.sent).toBeGreaterThanOrEqual(100_000)
    client.destroy()
    server.close()
    await once(server, 'close')
  })
})
