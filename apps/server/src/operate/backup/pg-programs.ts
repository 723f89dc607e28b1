import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { OperatorFault } from '../fault.ts'

/** Where a dump of PostgreSQL stands in a backup. */
export const dump_name = 'database.dump'
/** Schemas in which a restore has kept what was there before: no backup has them in it. */
export const kept_prefix = 'before_restore_'
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

const programs = ['pg_dump', 'pg_restore', 'psql'] as const
type Program = (typeof programs)[number]

function run(program: Program, args: string[], url: string) {
  const child = spawn(program, args, {
    env: { ...process.env, ...libpqEnvironment(url) },
    stdio: [program === 'pg_dump' ? 'ignore' : 'pipe', program === 'psql' ? 'ignore' : 'pipe', 'pipe'],
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

/** Throws OperatorFault where one of those is missing that make a backup of PostgreSQL and put it back. */
export async function assertPrograms(url: string): Promise<void> {
  for (const program of programs) {
    const { child, ended } = run(program, ['--version'], url)
    child.stdout?.resume()
    await ended
  }
}

/** A dump as it comes; it throws at its end when pg_dump failed. */
export async function* dumpOf(url: string): AsyncGenerator<Buffer> {
  const args = ['--format=custom', '--compress=0', '--no-owner', '--no-acl', `--exclude-schema=${kept_prefix}*`]
  const { child, ended } = run('pg_dump', args, url)
  try {
    for await (const chunk of child.stdout as Readable) yield chunk as Buffer
    await ended
  } finally {
    child.kill()
  }
}

/** What a transaction has read, and nobody else sees yet. */
export type OpenRestore = {
  commit(): Promise<void>
  /** The database is what it was before. */
  abandon(): void
}

/**
 * Reads a dump within one transaction, which is left open. `first` and `last` are SQL around it; of the dump only what is in `schema` is
 * taken where that is given. An end of this process before `commit` is the end of the transaction as well.
 */
export async function readDump(
  url: string,
  dump: AsyncIterable<Buffer>,
  around?: { schema: string; first: string; last: string },
): Promise<OpenRestore> {
  const psql = run('psql', ['--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1'], url)
  const only = around ? [`--schema=${around.schema}`] : []
  const script = run('pg_restore', ['--file=-', '--no-owner', '--no-acl', ...only], url)
  const into = psql.child.stdin!
  into.on('error', () => {})
  let is_refused = false
  try {
    into.write(`BEGIN;\n${around?.first ?? ''}\n`)
    const read = pipeline(script.child.stdout!, into, { end: false })
    // The database has refused a statement: psql says which, and pg_restore ends because of it.
    read.catch(() => (is_refused = true))
    await feed(script, dump)
    await script.ended
    await read
  } catch (error) {
    script.child.kill()
    if (is_refused) {
      into.end()
      await psql.ended
    }
    psql.child.kill()
    throw error
  }
  return {
    async commit() {
      into.end(`${around?.last ?? ''}\nCOMMIT;\n`)
      await psql.ended
    },
    abandon: () => void psql.child.kill(),
  }
}

async function feed({ child, ended }: ReturnType<typeof run>, dump: AsyncIterable<Buffer>): Promise<void> {
  const input = child.stdin!
  let is_closed = false
  input.on('error', () => (is_closed = true))
  for await (const chunk of dump)
    // One that ended well needs no more; the rest is read all the same, for its hash.
    if (is_closed) await ended
    else if (!input.write(chunk))
      await Promise.race([new Promise((drained) => input.once('drain', drained)), ended.catch(() => {})])
  input.end()
}
