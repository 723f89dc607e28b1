import { execFileSync, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'

const debian_root = '/usr/lib/postgresql'

/** MDM_TEST_POSTGRES names the folder of another one's programs: initdb and postgres, pg_basebackup for replicas. */
function binaries(): string | undefined {
  const named = process.env['MDM_TEST_POSTGRES']
  if (named) return named
  if (!existsSync(debian_root)) return undefined
  const versions = readdirSync(debian_root).toSorted((a, b) => Number(b) - Number(a))
  return versions.map((version) => join(debian_root, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb')))
}

/** PostgreSQL refuses to run as root. */
function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  for (const user of ['postgres', 'nobody'])
    try {
      const id = (flag: string) => Number(execFileSync('id', [flag, user], { stdio: ['ignore', 'pipe', 'ignore'] }))
      return { uid: id('-u'), gid: id('-g') }
    } catch {
      continue
    }
  return undefined
}

function parentOf(pid: string): number | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(line.slice(line.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return undefined
  }
}

/** Why there is no PostgreSQL to test with, or undefined. */
export const postgres_missing = binaries()
  ? undefined
  : `no PostgreSQL in ${debian_root}: apt-get install -y postgresql`

export type TestPostgres = {
  /** URL of the database of this name here; of a replica, those that the other server has. */
  url(name: string): string
  /** A new database, empty or a copy of `template`, which nobody uses; the URL goes through a unix socket. */
  createDatabase(template?: string): Promise<string>
  /** SIGSTOP and SIGCONT for every process of the server: a server that is there and does not answer. */
  pause(): void
  resume(): void
  /** kill -9, as a crash does. */
  kill(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

/**
 * A real PostgreSQL of its own, in a temporary directory, reachable by nobody else; fsync is off. `extra` settings, as
 * name=value, win over these. With `copied` it is a replica of that one, whose databases it has under the same names.
 */
export async function startPostgres(extra: string[] = [], copied?: TestPostgres): Promise<TestPostgres> {
  const bin = binaries()
  if (!bin) throw new Error(postgres_missing)
  const user = unprivileged()
  const root = mkdtempSync(join(tmpdir(), 'mdm-pg-'))
  if (user) chownSync(root, user.uid, user.gid)
  const data = join(root, 'data')
  const run = (program: string, args: string[]) =>
    execFileSync(join(bin, program), ['-D', data, '-U', 'postgres', '-N', ...args], {
      ...user,
      cwd: root,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
  if (copied) run('pg_basebackup', ['-d', copied.url('postgres'), '-R', '-c', 'fast'])
  else run('initdb', ['-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8'])
  const settings = [
    'listen_addresses=',
    `unix_socket_directories=${root}`,
    'fsync=off',
    'shared_buffers=32MB',
    'max_connections=60',
    ...extra,
  ]
  const url = (name: string) => `postgres://postgres@${encodeURIComponent(root)}/${name}`
  let server: ChildProcess | undefined

  /** Read from /proc: ps is not part of every small image. */
  const children = () =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter((name) => parentOf(name) === server?.pid)
      .map(Number)
  const signalAll = (signal: NodeJS.Signals) => {
    for (const pid of [server?.pid ?? 0, ...children()])
      try {
        if (pid > 1) process.kill(pid, signal)
      } catch (error) {
        // A backend whose client left a moment ago is gone by now.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
      }
  }
  const ended = async (signal: NodeJS.Signals) => {
    const running = server
    if (!running || running.exitCode !== null || running.signalCode !== null) return
    const gone = new Promise((done) => running.once('exit', done))
    running.kill(signal)
    await gone
  }
  const start = async () => {
    server = spawn(join(bin, 'postgres'), ['-D', data, ...settings.flatMap((s) => ['-c', s])], {
      ...user,
      cwd: root,
      stdio: 'ignore',
    })
    for (let attempt = 0; ; attempt += 1) {
      const client = new pg.Client({ connectionString: url('postgres') })
      try {
        await client.connect()
        await client.end()
        return
      } catch (error) {
        if (attempt > 200) throw error
        await delay(50)
      }
    }
  }
  await start()
  return {
    url,
    async createDatabase(template = 'template1') {
      const name = `t_${randomBytes(6).toString('hex')}`
      const client = new pg.Client({ connectionString: url('postgres') })
      await client.connect()
      await client.query(`create database ${name} template ${template}`)
      await client.end()
      return url(name)
    },
    pause: () => signalAll('SIGSTOP'),
    resume: () => signalAll('SIGCONT'),
    async kill() {
      const pids = children()
      await ended('SIGKILL')
      for (const pid of pids)
        try {
          process.kill(pid, 'SIGKILL')
        } catch {
          // Gone with its parent.
        }
    },
    start,
    async stop() {
      await ended('SIGINT')
      rmSync(root, { recursive: true, force: true })
    },
  }
}
