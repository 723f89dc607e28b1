import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { linuxUsage } from './linux-usage.ts'
import { batteryTriggers } from './linux-read.ts'

let folder: string
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'mdm-usage-'))))
afterAll(() => rm(folder, { recursive: true, force: true }))

test('counters become totals of days, over restarts of the agent and of the device', async () => {
  const roots = { proc: join(folder, 'proc'), sys: join(folder, 'sys') }
  const count = async (wlan0: [number, number], eth0: [number, number]) => {
    const line = (name: string, [received, sent]: [number, number]) =>
      `  ${name}: ${received} 1 0 0 0 0 0 0 ${sent} 1 0 0 0 0 0 0\n`
    const text = `Inter-|   Receive\n face |bytes\n${line('lo', [9e9, 9e9])}${line('wlan0', wlan0)}${line('eth0', eth0)}`
    await mkdir(dirname(join(roots.proc, 'net/dev')), { recursive: true })
    await writeFile(join(roots.proc, 'net/dev'), `${text}${line('docker0', [7, 7])}`)
  }
  let now = new Date('2026-03-01T22:00:00Z')
  const open = () => linuxUsage({ roots, data: folder, now: () => now, sockets: async () => undefined }).read
  const first = open()
  await count([5000, 500], [0, 0])
  // What passed before anybody looked is of no known day.
  expect(await first('boot-1')).toEqual([])
  await count([5100, 510], [20, 2])
  await first('boot-1')
  const again = open()
  await count([5150, 515], [20, 2])
  expect(await again('boot-1')).toEqual([
    { day: '2026-03-01', network: 'wifi', received: 150, sent: 15 },
    { day: '2026-03-01', network: 'ethernet', received: 20, sent: 2 },
  ])
  now = new Date('2026-03-02T01:00:00Z')
  // The device has booted: its counters began anew.
  await count([30, 3], [1, 1])
  expect(await again('boot-2')).toEqual([
    { day: '2026-03-01', network: 'wifi', received: 150, sent: 15 },
    { day: '2026-03-01', network: 'ethernet', received: 20, sent: 2 },
    { day: '2026-03-02', network: 'wifi', received: 30, sent: 3 },
    { day: '2026-03-02', network: 'ethernet', received: 1, sent: 1 },
  ])
  now = new Date('2026-03-06T01:00:00Z')
  expect((await again('boot-2')).map(({ day }) => day)).toEqual(['2026-03-06', '2026-03-06'])
})

test.each([
  ['discharging', 'charging', ['connect', 'charge']],
  ['low', 'charging', ['connect', 'charge']],
  ['charging', 'full', []],
  ['full', 'charging', ['charge']],
  ['full', 'discharging', ['disconnect']],
  ['discharging', 'low', ['outage']],
  ['charging', 'low', ['disconnect', 'outage']],
] as const)('a battery that was %s and is %s', (before, now, expected) => {
  expect(batteryTriggers({ level: 50, charging: before }, { level: 50, charging: now })).toEqual(expected)
})
