import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { OperatorFault } from '../fault.ts'

/** Where a dump of PostgreSQL stands in a backup. */
export const dump_name = 'database.dump'
const parameters: Record<string, string> = {
  host: 'PGHOST',
  port: 'PGPORT',
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
}

/** The address for libpq in the environment: arguments can be read by everybody on the machine. */
export function libpqEnvironment(url: string): Record<string, string> {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url)
  const given: Record<string, string> = {
    PGHOST: decodeURIComponent(hostname),
    PGPORT: port,
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: decodeURIComponent(pathname.slice(1)),
  }
  for (const [name, value] of searchParams) if (parameters[name] !== undefined) given[parameters[name]] = value
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''))
}

function run(program: 'pg_dump' | 'pg_restore', args: string[], url: string) {
  const child = spawn(program, args, {
    env: { ...process.env, ...libpqEnvironment(url) },
    stdio: [program === 'pg_dump' ? 'ignore' : 'pipe', program === 'pg_dump' ? 'pipe' : 'ignore', 'pipe'],
  })
  const said = text(child.stderr!)
  const ended = new Promise<void>((done, failed) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      failed(
        new OperatorFault(
          error.code === 'ENOENT'
            ? `${program} is not installed: install PostgreSQL's client programs, of the server's version or newer (postgresql-client).`
            : `${program}: ${error.message}`,
        ),
      ),
    )
    child.once('close', (code) => {
      if (code === 0) done()
      else
        void said.then((lines) => failed(new OperatorFault(`${program} failed: ${lines.trim().slice(-2_000)}`)), failed)
    })
  })
  ended.catch(() => {})
  return { child, ended }
}

/** A dump as it comes; it throws at its end when pg_dump failed. */
export async function* dumpOf(url: string): AsyncGenerator<Buffer> {
  const { child, ended } = run('pg_dump', ['--format=custom', '--compress=0', '--no-owner', '--no-acl'], url)
  try {
    for await (const chunk of child.stdout as Readable) yield chunk as Buffer
    await ended
  } finally {
    child.kill()
  }
}

/** All of it or nothing. */
export async function restoreDump(url: string, dump: AsyncIterable<Buffer>): Promise<void> {
  const { PGDATABASE: name = '' } = libpqEnvironment(url)
  const args = ['--single-transaction', '--exit-on-error', '--no-owner', '--no-acl', `--dbname=${name}`]
  const { child, ended } = run('pg_restore', args, url)
  const input = child.stdin!
  let failure: Error | undefined
  input.on('error', (error) => (failure = error))
  for await (const chunk of dump)
    if (failure === undefined && !input.write(chunk))
      await Promise.race([new Promise((drained) => input.once('drain', drained)), ended.catch(() => {})])
  input.end()
  await ended
}
