import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { freemem, tmpdir, totalmem, uptime } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { enrolment, StateParts, up } from '@mdm/device-link'
import { commandsFrom, linuxBody } from './linux.ts'
import { buildOf, parseApk, parseOsRelease, parsePackages } from './linux-identity.ts'
import { defaultInterface, readBattery, wirelessSignal } from './linux-read.ts'

let folder: string
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'mdm-linux-'))))
afterAll(() => rm(folder, { recursive: true }))
const { signal } = new AbortController()

async function put(files: Record<string, string>) {
  const root = await mkdtemp(join(folder, 'root-'))
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  return { sys: join(root, 'sys'), proc: join(root, 'proc') }
}

test('this machine is read as it is', async () => {
  const body = linuxBody({ data: folder, sn: 'L-1' })
  const identity = await body.identity()
  expect(enrolment.announce.input.parse({ ...identity, claim_hash: 'a'.repeat(64) })).toMatchObject(identity)
  const release = parseOsRelease(await readFile('/etc/os-release', 'utf8').catch(() => ''))
  if (release['VERSION_ID']) expect(identity.os_version).toBe(release['VERSION_ID'])
  await body.state()
  const state = await body.state()
  expect(StateParts.parse(state)).toEqual(state)
  expect(Math.abs((state.run?.memory_total ?? 0) - totalmem())).toBeLessThan(1_048_576)
  expect(state.run?.memory_used).toBeLessThan(totalmem())
  expect(freemem()).toBeLessThan(totalmem())
  expect(Math.abs((state.run?.uptime ?? 0) - uptime())).toBeLessThan(5)
  expect(state.run?.storage_total).toBeGreaterThan(state.run?.storage_used ?? Infinity)
  const { boot_id, boot_at } = await body.boot()
  expect(boot_id).toBe((await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim())
  const inventory = await body.inventory()
  const hello = {
    epoch: 'e',
    boot_id,
    device_time: new Date().toISOString(),
    boot_at: boot_at.toISOString(),
    inventory,
  }
  expect(up.hello.parse(hello)).toMatchObject({ inventory })
})

test('a build says its UID, version code and VER in os-release; what is no number is left out', () => {
  const release = 'NAME=Demo\nMDM_UID="NM11602S1E0ENGEN0001"\nMDM_VERSION_CODE=12\nMDM_VER=\'3\'\n'
  const build = { uid: 'NM11602S1E0ENGEN0001', version_code: 12, ver: 3 }
  expect(buildOf(parseOsRelease(release))).toEqual(build)
  expect(up.hello.shape.inventory.parse(build)).toEqual(build)
  expect(buildOf(parseOsRelease('NAME=Debian\nMDM_VER=3.1\nMDM_VERSION_CODE=-1\nMDM_UID=""\n'))).toEqual({})
})

test('a device without a serial number gets a lasting one that does not give away the machine id', async () => {
  const roots = await put({ 'sys/class/dmi/id/product_serial': 'To Be Filled By O.E.M.\n' })
  const sn = async () => (await linuxBody({ data: folder, roots }).identity()).sn
  expect(await sn()).toMatch(/^LNX-[0-9A-F]{10}$/)
  expect(await sn()).toBe(await sn())
  const made = await put({ 'proc/device-tree/serial-number': '10000000abcdef01\0' })
  expect((await linuxBody({ data: folder, roots: made }).identity()).sn).toBe('10000000ABCDEF01')
})

test('batteries: the first of the system, not that of a mouse', async () => {
  const supply = 'sys/class/power_supply'
  const roots = await put({
    [`${supply}/AC/type`]: 'Mains\n',
    [`${supply}/hid-mouse/type`]: 'Battery\n',
    [`${supply}/hid-mouse/scope`]: 'Device\n',
    [`${supply}/hid-mouse/capacity`]: '5\n',
    [`${supply}/BAT0/type`]: 'Battery\n',
    [`${supply}/BAT0/status`]: 'Discharging\n',
    [`${supply}/BAT0/charge_now`]: '1200000\n',
    [`${supply}/BAT0/charge_full`]: '3000000\n',
    [`${supply}/BAT0/charge_full_design`]: '5000000\n',
    [`${supply}/BAT0/voltage_now`]: '11400000\n',
    [`${supply}/BAT0/temp`]: '305\n',
  })
  expect(await readBattery(roots)).toEqual({
    level: 40,
    charging: 'discharging',
    temperature: 30.5,
    voltage: 11_400,
    capacity: 3000,
    health: 'fair',
  })
  expect(await readBattery(await put({}))).toBeUndefined()
})

test('routes and radio', async () => {
  const roots = await put({
    'proc/net/route':
      'Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\nwwan0\t00000000\t01\t3\t0\t0\t700\t00000000\n' +
      'wlan0\t00000000\t01\t3\t0\t0\t600\t00000000\nwlan0\t0000A8C0\t00\t1\t0\t0\t0\t00FFFFFF\n',
    'proc/net/wireless':
      'Inter-| sta-|   Quality        |\n face | tus | link level noise |\n wlan0: 0000   58.  -52.  -256        0\n',
  })
  expect(await defaultInterface(roots)).toBe('wlan0')
  expect(await wirelessSignal(roots, 'wlan0')).toBe(-52)
  expect(await wirelessSignal(roots, 'eth0')).toBeUndefined()
})

test('package lists of three families', () => {
  expect(parsePackages('bash\t5.2-3\t7164\nhalf\n\n', 1024)).toEqual([
    { name: 'bash', version: '5.2-3', size: 7_335_936 },
  ])
  expect(parseApk('musl-1.2.4-r2\nca-certificates-bundle-20230506-r0\nWARNING: x\n')).toEqual([
    { name: 'musl', version: '1.2.4-r2' },
    { name: 'ca-certificates-bundle', version: '20230506-r0' },
  ])
})

test('without commands it refuses or says what it did instead; with them it runs them with what they need', async () => {
  const lines: string[] = []
  const plain = linuxBody({ data: join(folder, 'plain'), log: (line) => lines.push(line) })
  await expect(plain.lock(undefined, signal)).rejects.toThrow('MDM_AGENT_LOCK_COMMAND is not configured')
  await expect(plain.restart(signal)).rejects.toMatchObject({ code: 'not_supported' })
  const shown = await plain.show_message({ title: 'T\u001b[2J', text: 'two\nlines' }, signal)
  expect(shown.text).toContain('MDM_AGENT_MESSAGE_COMMAND is not configured')
  expect(lines.at(-1)).toBe('message: T [2J: two lines')
  const kept = JSON.parse(await readFile(join(folder, 'plain/messages.jsonl'), 'utf8')) as object
  expect(kept).toMatchObject({ title: 'T\u001b[2J', text: 'two\nlines' })

  const commands = commandsFrom({
    MDM_AGENT_LOCK_COMMAND: 'cat',
    MDM_AGENT_MESSAGE_COMMAND: '["sh", "-c", "printf %s \\"$MDM_TITLE\\""]',
    MDM_AGENT_RESTART_COMMAND: 'true',
    MDM_AGENT_FIND_COMMAND: 'false',
    MDM_AGENT_ASK_COMMAND: 'false',
    MDM_AGENT_FACTORY_RESET_COMMAND: 'true',
    MDM_AGENT_LOG_COMMAND: 'uname',
  })
  const able = linuxBody({ data: join(folder, 'able'), commands })
  expect(await able.lock('4711', signal)).toEqual({ text: '4711' })
  expect(await able.show_message({ title: '$(id)', text: '' }, signal)).toEqual({ text: '$(id)' })
  expect(await able.restart(signal)).toEqual({ rebooting: {} })
  await expect(able.find(2, signal)).rejects.toMatchObject({ code: 'command_failed' })
  expect(await able.ask('Now?', { may_put_off: true }, signal)).toBe('no')
  expect(await plain.ask('Now?', { may_put_off: true }, signal)).toBe('nobody')
  const asking = linuxBody({
    data: join(folder, 'asking'),
    commands: commandsFrom({
      MDM_AGENT_ASK_COMMAND: '["sh", "-c", "test \\"$MDM_MAY_PUT_OFF\\" && exit 75 || exit 0"]',
    }),
  })
  expect(await asking.ask('Now?', { may_put_off: true }, signal)).toBe('later')
  expect(await asking.ask('Now?', { may_put_off: false }, signal)).toBe('yes')
  await plain.warn('In 60 seconds', 60, signal)
  expect(lines.at(-1)).toBe('warning: In 60 seconds')
  await expect(plain.factory_reset(signal)).rejects.toMatchObject({ code: 'not_supported' })
  await expect(plain.shut_down(signal)).rejects.toMatchObject({ code: 'not_supported' })
  expect(await plain.log(signal)).toBeUndefined()
  expect(await able.factory_reset(signal)).toEqual({ rebooting: {} })
  expect((await able.log(signal))?.toString()).toBe('Linux\n')
  expect(able.task_types).toEqual([
    'message',
    'file',
    'config_file',
    'app_install',
    'app_uninstall',
    'find',
    'remote_log',
    'lock',
    'restart',
    'factory_reset',
  ])
  expect(() => commandsFrom({ MDM_AGENT_LOCK_COMMAND: '[1]' })).toThrow('MDM_AGENT_LOCK_COMMAND')
})
