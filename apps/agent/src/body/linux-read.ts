import { readdir, readFile, statfs } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import type { StatePartsOf } from './body.ts'
import { runCommand } from './command.ts'

/** Where the running system is read from; a test points it at a folder. */
export type Roots = { proc: string; sys: string }
export const systemRoots: Roots = { proc: '/proc', sys: '/sys' }

export const readText = async (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').then(
    (text) => text.replaceAll('\0', '').trim(),
    () => undefined,
  )
const readNumber = async (path: string): Promise<number | undefined> => {
  const text = await readText(path)
  const value = Number(text)
  return text === undefined || text === '' || !Number.isFinite(value) ? undefined : value
}
const clamp = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value))
const present = <T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never

/** The first battery of the power supply class. Undefined on a machine without one. */
export async function readBattery({ sys }: Roots): Promise<StatePartsOf['battery']> {
  const base = join(sys, 'class/power_supply')
  for (const name of (await readdir(base).catch(() => [])).sort()) {
    const supply = join(base, name)
    if ((await readText(join(supply, 'type'))) !== 'Battery' || (await readText(join(supply, 'scope'))) === 'Device')
      continue
    const full = (await readNumber(join(supply, 'charge_full'))) ?? (await readNumber(join(supply, 'energy_full')))
    const now = (await readNumber(join(supply, 'charge_now'))) ?? (await readNumber(join(supply, 'energy_now')))
    const level =
      (await readNumber(join(supply, 'capacity'))) ?? (full && now !== undefined ? (now / full) * 100 : undefined)
    if (level === undefined) continue
    const status = (await readText(join(supply, 'status')))?.toLowerCase()
    const microvolts = await readNumber(join(supply, 'voltage_now'))
    const tenths = await readNumber(join(supply, 'temp'))
    const design = await readNumber(join(supply, 'charge_full_design'))
    const charge_full = await readNumber(join(supply, 'charge_full'))
    const wear = design && charge_full ? charge_full / design : undefined
    return present({
      level: clamp(Math.round(level), 0, 100),
      charging:
        status === 'full'
          ? ('full' as const)
          : status === 'charging'
            ? ('charging' as const)
            : level <= 15
              ? ('low' as const)
              : ('discharging' as const),
      temperature: tenths === undefined ? undefined : clamp(tenths / 10, -60, 150),
      voltage: microvolts === undefined ? undefined : clamp(Math.round(microvolts / 1000), 0, 100_000),
      capacity: charge_full === undefined ? undefined : clamp(Math.round(charge_full / 1000), 0, 1_000_000),
      health:
        wear === undefined
          ? undefined
          : wear > 0.8
            ? ('good' as const)
            : wear > 0.5
              ? ('fair' as const)
              : ('poor' as const),
    })
  }
  return undefined
}

type BatteryOf = StatePartsOf['battery']
type Trigger = NonNullable<NonNullable<BatteryOf>['trigger']>
/** What happened to a battery between two looks at it, in order. */
export function batteryTriggers(before: BatteryOf, now: BatteryOf): Trigger[] {
  if (!before || !now) return []
  const has_power = ({ charging }: NonNullable<BatteryOf>) => charging === 'charging' || charging === 'full'
  const triggers: Trigger[] = []
  if (has_power(now) !== has_power(before)) triggers.push(has_power(now) ? 'connect' : 'disconnect')
  if (now.charging === 'charging' && before.charging !== 'charging') triggers.push('charge')
  if (now.charging === 'low' && before.charging !== 'low') triggers.push('outage')
  return triggers
}

/** Name of the interface that the default route uses, by the lowest metric. */
export async function defaultInterface({ proc }: Roots): Promise<string | undefined> {
  const lines = ((await readText(join(proc, 'net/route'))) ?? '').split('\n').slice(1)
  const routes = lines
    .map((line) => line.split(/\s+/))
    .filter((fields) => fields[1] === '00000000' && fields[7] === '00000000')
    .sort((a, b) => Number(a[6]) - Number(b[6]))
  return routes[0]?.[0]
}

/** dBm of an interface in /proc/net/wireless; undefined when it is not wireless. */
export async function wirelessSignal({ proc }: Roots, name: string): Promise<number | undefined> {
  for (const line of ((await readText(join(proc, 'net/wireless'))) ?? '').split('\n')) {
    const match = /^\s*([^:\s]+):\s+\S+\s+\S+\s+(-?\d+)/.exec(line)
    if (match?.[1] === name) return clamp(Number(match[2]) > 0 ? Number(match[2]) - 256 : Number(match[2]), -150, 0)
  }
  return undefined
}

export async function readNetwork(roots: Roots): Promise<Pick<StatePartsOf, 'network' | 'wifi'>> {
  const addresses = networkInterfaces()
  const usable = (name: string) => addresses[name]?.find(({ internal }) => !internal)
  const name = (await defaultInterface(roots)) ?? Object.keys(addresses).find(usable)
  if (name === undefined) return { network: { type: 'none' } }
  const device = join(roots.sys, 'class/net', name)
  const is_wifi = (await readdir(join(device, 'wireless')).catch(() => undefined)) !== undefined
  const list = addresses[name] ?? []
  const internal_ip = (list.find(({ family }) => family === 'IPv4') ?? list[0])?.address
  const signal = await wirelessSignal(roots, name)
  const type =
    is_wifi || signal !== undefined ? 'wifi' : /^(wwan|ppp|rmnet|usb-wwan)/.test(name) ? 'mobile' : 'ethernet'
  const network = present({ type, internal_ip, signal } as const)
  return type === 'wifi' ? { network, wifi: { ...present({ signal }), ...(await readWifiLink(name)) } } : { network }
}

/** What `iw` knows of the network it is in; nothing where it is not installed. */
async function readWifiLink(name: string): Promise<NonNullable<StatePartsOf['wifi']>> {
  const link = await runCommand(['iw', 'dev', name, 'link'], { timeout_ms: 3000 }).catch(() => undefined)
  const text = link?.code === 0 ? link.stdout.toString('utf8') : ''
  const frequency = Number(/freq: (\d+)/.exec(text)?.[1])
  return present({
    bssid: /Connected to ([0-9a-f:]{17})/i.exec(text)?.[1],
    ssid: /SSID: (.+)/.exec(text)?.[1]?.slice(0, 64),
    frequency: frequency || undefined,
    channel: channelOf(frequency),
  })
}
const channelOf = (mhz: number): number | undefined => {
  if (mhz === 2484) return 14
  if (mhz >= 2412 && mhz <= 2472) return (mhz - 2407) / 5
  return mhz >= 5000 && mhz < 5900 ? Math.round((mhz - 5000) / 5) : undefined
}

export type CpuTimes = { busy: number; total: number }
export async function readCpuTimes({ proc }: Roots): Promise<CpuTimes | undefined> {
  const fields = ((await readText(join(proc, 'stat'))) ?? '').split('\n')[0]?.split(/\s+/) ?? []
  if (fields[0] !== 'cpu') return undefined
  // The last two count a guest's time, which is in the first two already.
  const times = fields.slice(1, 9).map(Number)
  const total = times.reduce((sum, time) => sum + time, 0)
  return { total, busy: total - (times[3] ?? 0) - (times[4] ?? 0) }
}

/** Seconds since boot, time asleep included. */
export async function readUptime({ proc }: Roots): Promise<number | undefined> {
  const uptime = Number(((await readText(join(proc, 'uptime'))) ?? '').split(' ')[0])
  return uptime > 0 ? uptime : undefined
}

/** `before` is the last look at the processor: its use is that between the two. */
export async function readRun(
  roots: Roots,
  folder: string,
  before: CpuTimes | undefined,
): Promise<{ run: NonNullable<StatePartsOf['run']>; cpu: CpuTimes | undefined }> {
  const cpu = await readCpuTimes(roots)
  const memory = (await readText(join(roots.proc, 'meminfo'))) ?? ''
  const kilobytes = (field: string): number | undefined => {
    const value = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(memory)?.[1]
    return value === undefined ? undefined : Number(value) * 1024
  }
  const memory_total = kilobytes('MemTotal')
  const available = kilobytes('MemAvailable') ?? kilobytes('MemFree')
  const disk = await statfs(folder).catch(() => undefined)
  const passed = cpu && before ? cpu.total - before.total : 0
  const run = present({
    cpu:
      cpu && before && passed > 0
        ? clamp(Math.round(((cpu.busy - before.busy) / passed) * 1000) / 10, 0, 100)
        : undefined,
    memory_total,
    memory_used:
      memory_total !== undefined && available !== undefined ? Math.max(0, memory_total - available) : undefined,
    storage_total: disk && disk.blocks * disk.bsize,
    storage_used: disk && (disk.blocks - disk.bfree) * disk.bsize,
    uptime: await readUptime(roots),
  })
  return { run, cpu }
}
