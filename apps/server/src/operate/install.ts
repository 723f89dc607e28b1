import { execFileSync, spawnSync } from 'node:child_process'
import type { SpawnSyncOptionsWithStringEncoding } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Misuse, OperatorFault } from './fault.ts'
import { data_path, program_path, settings_path, unitFiles, unitLinks, user } from './units.ts'
import type { Machine } from './upgrade.ts'

type Options = {
  /** Another root than that of this machine, as who makes an image has it: nothing is started there. */
  root: string
  print: (line: string) => void
}
const below = (root: string, path: string): string => join(resolve(root), path)
const hasSystemd = (): boolean => existsSync('/run/systemd/system')
const systemctl = (...args: string[]) => execFileSync('systemctl', args, { stdio: 'inherit' })

const first_settings = `# Settings of the server, one NAME=value a line: docs/settings.md has all of them.
# What changes here counts from the next start on: systemctl restart mdm
MDM_DATA=${data_path}
#MDM_PUBLIC_URL=https://mdm.example.com
#MDM_TRUST_PROXY=127.0.0.1
#MDM_SMTP_URL=smtp://user:password@mail.example.com:587
#MDM_SMTP_FROM=MDM <mdm@example.com>
`

/** The folder of the unpacked release that this very program is of. */
function releaseFolder(): string {
  const folder = fileURLToPath(new URL('../../..', import.meta.url))
  if (!existsSync(join(folder, 'bin/mdm')))
    throw new OperatorFault('mdm install is of a release: unpack its archive in /opt, and run bin/mdm install there.')
  return resolve(folder)
}

/** Where a release will be once the image that it lies in is a machine. */
function placeIn(root: string, release: string): string {
  const inside = relative(resolve(root), release)
  return inside.startsWith('..') ? release : join('/', inside)
}

function groupOf(): number {
  const find = () => new RegExp(`^${user}:[^:]*:(\\d+):`, 'm').exec(readFileSync('/etc/group', 'utf8'))?.[1]
  if (find() === undefined) {
    const options = [
      '--system',
      '--user-group',
      '--no-create-home',
      '--home-dir',
      data_path,
      '--shell',
      '/usr/sbin/nologin',
    ]
    execFileSync('useradd', [...options, user], { stdio: 'inherit' })
  }
  return Number(find())
}

function write(path: string, text: string, mode: number): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 })
  writeFileSync(`${path}.new`, text, { mode })
  chmodSync(`${path}.new`, mode)
  renameSync(`${path}.new`, path)
}

/** Makes the server a service of this machine. Done again, also by a newer release, it keeps the settings and restarts the server. */
export function install({ root, print }: Options): void {
  const is_here = resolve(root) === '/'
  if (is_here && process.getuid?.() !== 0) throw new Misuse('install needs the rights of root')
  const release = releaseFolder()
  const gid = is_here ? groupOf() : undefined
  const settings = below(root, settings_path)
  // Secrets are in it.
  if (!existsSync(settings)) write(settings, first_settings, 0o640)
  if (gid !== undefined) chownSync(settings, 0, gid)
  for (const [file, text] of Object.entries(unitFiles())) write(below(root, file), text, 0o644)
  const links = { ...unitLinks, [program_path]: join(placeIn(root, release), 'bin/mdm') }
  for (const [link, to] of Object.entries(links)) {
    mkdirSync(dirname(below(root, link)), { recursive: true })
    rmSync(below(root, link), { force: true })
    symlinkSync(to, below(root, link))
  }
  print(`Settings  ${settings}`)
  print(`Data      ${data_path}`)
  if (!is_here || !hasSystemd()) return print('The server starts with the machine')
  systemctl('daemon-reload')
  systemctl('restart', 'mdm.service')
  print(
    'The server runs. Address and first password: journalctl --unit mdm --output cat | grep --after-context 9 Console',
  )
}

/** This machine, where `mdm install` has made the server a service. */
export function machineHere(): Machine {
  if (process.getuid?.() !== 0) throw new Misuse('upgrade needs the rights of root')
  if (!hasSystemd()) throw new OperatorFault('mdm upgrade is for a service of systemd: see docs/operate/upgrade.md.')
  const installed = releaseFolder()
  const programOf = (release: string) => join(release, 'bin/mdm')
  const backups = '/var/backups/mdm'
  execFileSync('install', ['--directory', '--owner', user, '--group', user, '--mode', '700', backups])
  const inherit = { stdio: 'inherit' } as const
  return {
    installed,
    backups,
    async asServer(release, args) {
      const own = ['--user', user, '--', programOf(release), ...args, '--env', settings_path]
      const options: SpawnSyncOptionsWithStringEncoding = {
        stdio: ['inherit', 'inherit', 'pipe'],
        encoding: 'utf8',
        cwd: data_path,
      }
      const { status, stderr, error } = spawnSync('runuser', own, options)
      if (status !== 0) throw new OperatorFault(stderr?.trim() || (error?.message ?? `mdm ${args[0]} was ended.`))
    },
    async install(release) {
      execFileSync(programOf(release), ['install'], inherit)
    },
    stop: async () => void systemctl('stop', 'mdm.service'),
    start: async () => void systemctl('start', 'mdm.service'),
  }
}

/** Settings and data stay, unless they are `purged`. */
export function uninstall({ root, print, is_purged }: Options & { is_purged: boolean }): void {
  const is_here = resolve(root) === '/'
  if (is_here && process.getuid?.() !== 0) throw new Misuse('uninstall needs the rights of root')
  if (is_here && hasSystemd()) execFileSync('systemctl', ['stop', 'mdm.service'], { stdio: 'ignore' })
  for (const file of [...Object.keys(unitLinks), ...Object.keys(unitFiles()), program_path])
    rmSync(below(root, file), { force: true })
  if (is_here && hasSystemd()) systemctl('daemon-reload')
  if (is_purged)
    for (const folder of [dirname(settings_path), data_path])
      rmSync(below(root, folder), { recursive: true, force: true })
  print(
    is_purged
      ? 'The server, its settings and its data are gone'
      : `The server is gone; its settings and its data stay in ${dirname(settings_path)} and ${data_path}`,
  )
}
