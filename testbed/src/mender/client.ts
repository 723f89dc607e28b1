import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { join } from 'node:path'

const modules = '/usr/share/mender/modules/v3'

/** Why the real client cannot be run here; empty where it can. It looks for its scripts at fixed places, which are laid over for it alone. */
export const without_mender = (): string => {
  if (spawnSync('mender', ['--version']).error) return 'mender-client is not installed'
  if (!existsSync(join(modules, 'single-file'))) return 'the update module single-file of mender-client is missing'
  if (spawnSync('unshare', ['--mount', 'true']).status !== 0) return 'only root can lay a folder over another'
  return ''
}

/** Why the shells and files of the real device cannot be tried here; empty where they can. */
export const without_connect = (): string =>
  ['mender-connect', 'dbus-daemon'].find((name) => spawnSync(name, ['--version']).error) ?? ''

const bus_of = (path: string) => `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
  "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><listen>unix:path=${path}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy></busconfig>`

type Options = {
  server: string
  token: string
  mac: string
  device_type?: string
  artifact_name?: string
  with_connect?: boolean
}

/** Debian's Mender client as a process, with folders of its own. */
export async function menderClient({
  server,
  token,
  mac,
  device_type = 'till',
  artifact_name = 'till-1.0.0',
  with_connect = false,
}: Options) {
  const home = await mkdtemp(join(tmpdir(), 'mdm-mender-'))
  const at = (name: string) => join(home, name)
  for (const name of ['data', 'etc', 'scripts', 'inventory']) await mkdir(at(name), { mode: 0o700 })
  await writeFile(at('data/device_type'), `device_type=${device_type}\n`)
  await writeFile(at('etc/artifact_info'), `artifact_name=${artifact_name}\n`)
  const script = async (name: string, line: string) => {
    await writeFile(at(name), `#!/bin/sh\necho '${line}'\n`)
    await chmod(at(name), 0o755)
  }
  await script('scripts/mender-device-identity', `mac=${mac}`)
  await script('inventory/mender-inventory-host', 'hostname=till-7')
  const config = {
    ServerURL: server,
    TenantToken: token,
    ...{ InventoryPollIntervalSeconds: 2, UpdatePollIntervalSeconds: 2, RetryPollIntervalSeconds: 2 },
    DBus: { Enabled: with_connect },
  }
  await writeFile(at('etc/mender.conf'), JSON.stringify(config))
  const places = { etc: '/etc/mender', scripts: '/usr/share/mender/identity', inventory: '/usr/share/mender/inventory' }
  const laid = Object.entries(places).map(([name, place]) => `mount --bind ${at(name)} ${place}`)
  const args = [
    '--no-syslog',
    '--config',
    at('etc/mender.conf'),
    '--data',
    at('data'),
    '--log-level',
    'debug',
    'daemon',
  ]
  const env = { ...process.env, ...(with_connect && { DBUS_SYSTEM_BUS_ADDRESS: `unix:path=${at('bus')}` }) }
  const logged = (command: string, of: string[]) => {
    const made = spawn(command, of, { stdio: ['ignore', 'pipe', 'pipe'], env })
    for (const stream of [made.stdout, made.stderr])
      stream.on('data', (chunk: Buffer) => void appendFile(at('log'), chunk))
    return made
  }
  const beside: ReturnType<typeof spawn>[] = []
  let child: ReturnType<typeof spawn> | undefined
  const start = () => {
    child = logged('unshare', ['--mount', 'sh', '-c', `${laid.join(' && ')} && exec mender "$@"`, 'sh', ...args])
  }
  if (with_connect) {
    await writeFile(at('bus.conf'), bus_of(at('bus')))
    beside.push(logged('dbus-daemon', ['--nofork', '--nopidfile', `--config-file=${at('bus.conf')}`]))
    while (!existsSync(at('bus'))) await wait(20)
    start()
    await writeFile(
      at('connect.conf'),
      JSON.stringify({ ShellCommand: '/bin/bash', User: 'root', ReconnectIntervalSeconds: 1 }),
    )
    beside.push(
      logged('mender-connect', ['--config', at('connect.conf'), '--fallback-config', at('none'), '--debug', 'daemon']),
    )
  } else start()
  const stop = async () => {
    if (!child || child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  return {
    home,
    log: () => readFile(at('log'), 'utf8'),
    stop,
    start,
    /** The client waits before its next download until the answer is called. */
    async holdDownloads() {
      await mkdir(at('etc/scripts'))
      await writeFile(at('etc/scripts/version'), '3')
      await writeFile(
        at('etc/scripts/Download_Enter_00'),
        `#!/bin/sh\ntouch ${at('held')}\nuntil test -e ${at('go')}; do sleep 0.1; done\n`,
      )
      await chmod(at('etc/scripts/Download_Enter_00'), 0o755)
      return { is_held: () => existsSync(at('held')), go: () => writeFile(at('go'), '') }
    },
    async [Symbol.asyncDispose]() {
      await stop()
      for (const each of beside) each.kill('SIGKILL')
      await rm(home, { recursive: true, force: true })
    },
  }
}
