import { createHash } from 'node:crypto'
import { arch, hostname, release } from 'node:os'
import { join } from 'node:path'
import { limits, Sn } from '@mdm/device-link'
import type { Identity, InventoryOf } from './body.ts'
import { runCommand } from './command.ts'
import { readText } from './linux-read.ts'
import type { Roots } from './linux-read.ts'
import { agentVersion, protocolVersion } from '../version.ts'

/** Fields of /etc/os-release, quotes taken off. */
export function parseOsRelease(text: string): Record<string, string> {
  const fields = text.split('\n').flatMap((line) => {
    const match = /^([A-Z_]+)=(.*)$/.exec(line.trim())
    return match ? [[match[1] as string, (match[2] as string).replace(/^(["'])(.*)\1$/, '$2')] as const] : []
  })
  return Object.fromEntries(fields)
}

/** What vendors leave in fields they never filled in. */
const isPlaceholder = (text: string): boolean =>
  /^(to be filled|default string|system (product|serial)|not (specified|applicable|available)|none|unknown|0+|n\/a)/i.test(
    text,
  )

async function firstOf(paths: string[]): Promise<string | undefined> {
  for (const path of paths) {
    const text = await readText(path)
    if (text && !isPlaceholder(text)) return text
  }
  return undefined
}

/** The maker's serial number where this user may read one, else one made from the machine id, which is not given away itself. */
async function serialNumber({ sys, proc }: Roots): Promise<string> {
  const paths = [
    join(sys, 'class/dmi/id/product_serial'),
    join(sys, 'class/dmi/id/board_serial'),
    join(proc, 'device-tree/serial-number'),
  ]
  const made = Sn.safeParse(await firstOf(paths)).data
  if (made) return made
  const seed = (await firstOf(['/etc/machine-id', '/var/lib/dbus/machine-id'])) ?? hostname()
  return `LNX-${createHash('sha256').update(`mdm ${seed}`).digest('hex').slice(0, 10).toUpperCase()}`
}

export async function readIdentity(roots: Roots, sn: string | undefined): Promise<Identity> {
  const os = parseOsRelease((await readText('/etc/os-release')) ?? '')
  const dmi = join(roots.sys, 'class/dmi/id')
  const model = await firstOf([
    join(dmi, 'product_name'),
    join(roots.proc, 'device-tree/model'),
    join(dmi, 'board_name'),
  ])
  return {
    sn: Sn.parse(sn ?? (await serialNumber(roots))),
    model: (model ?? `Linux ${arch()}`).slice(0, 64),
    os_name: (os['NAME'] ?? 'Linux').slice(0, 64),
    os_version: (os['VERSION_ID'] ?? release()).slice(0, 64),
    service_version: agentVersion,
    protocol_version: protocolVersion,
  }
}

/**
 * UID, version code and VER of the build, which whoever builds the image writes into os-release: MDM_UID, MDM_VERSION_CODE,
 * MDM_VER. A common distribution has none of them.
 */
export function buildOf(os: Record<string, string>): Pick<InventoryOf, 'uid' | 'version_code' | 'ver'> {
  const uid = os['MDM_UID']?.trim().slice(0, 64)
  const count = (text: string | undefined): number | undefined =>
    text !== undefined && /^\d{1,15}$/.test(text.trim()) ? Number(text) : undefined
  const version_code = count(os['MDM_VERSION_CODE'])
  const ver = count(os['MDM_VER'])
  return {
    ...(uid && { uid }),
    ...(version_code !== undefined && { version_code }),
    ...(ver !== undefined && { ver }),
  }
}
export const readBuild = async (path = '/etc/os-release') => buildOf(parseOsRelease((await readText(path)) ?? ''))

type Packages = NonNullable<InventoryOf['packages']>
/** Each prints `name TAB version TAB bytes [TAB status]`, or what `scale` makes bytes of. */
const managers = [
  {
    command: ['dpkg-query', '-W', '-f=${binary:Package}\\t${Version}\\t${Installed-Size}\\t${db:Status-Status}\\n'],
    scale: 1024,
  },
  { command: ['rpm', '-qa', '--qf', '%{NAME}\\t%{VERSION}-%{RELEASE}\\t%{SIZE}\\n'], scale: 1 },
] as const

export function parsePackages(text: string, scale: number): Packages {
  return text.split('\n').flatMap((line) => {
    const [name, version, size, status = 'installed'] = line.split('\t')
    // One that was removed leaves its settings, and its name.
    if (!name || !version || status !== 'installed') return []
    const bytes = Number(size) * scale
    return [
      { name: name.slice(0, 200), version: version.slice(0, 100), ...(bytes > 0 ? { size: Math.round(bytes) } : {}) },
    ]
  })
}
/** `apk info -v` prints name-1.2.3-r0. */
export const parseApk = (text: string): Packages =>
  text.split('\n').flatMap((line) => {
    const match = /^(.+)-(\d[^-]*-r\d+)$/.exec(line.trim())
    return match ? [{ name: (match[1] as string).slice(0, 200), version: (match[2] as string).slice(0, 100) }] : []
  })

/** Installed packages by name, of whichever package manager answers; none where none does. */
export async function readPackages(): Promise<Packages> {
  const options = { timeout_ms: 20_000, max_bytes: 16 * 1_048_576 }
  const byName = (packages: Packages) => packages.sort((a, b) => a.name.localeCompare(b.name)).slice(0, limits.packages)
  for (const { command, scale } of managers) {
    const ran = await runCommand([...command], options).catch(() => undefined)
    if (ran?.code === 0) return byName(parsePackages(ran.stdout.toString('utf8'), scale))
  }
  const apk = await runCommand(['apk', 'info', '-v'], options).catch(() => undefined)
  return apk?.code === 0 ? byName(parseApk(apk.stdout.toString('utf8'))) : []
}
