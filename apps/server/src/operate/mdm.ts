import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { readConfig, SettingsError } from '../config.ts'
import type { Config } from '../config.ts'
import { bytesText } from '../lib/bytes.ts'
import { DatabaseError } from '../lib/database-errors.ts'
import { createLog } from '../lib/log.ts'
import { runningServer } from './ask-server.ts'
import { Misuse, OperatorFault } from './fault.ts'
import { assertOwnUser } from './own-user.ts'
import { readPassphrase } from './passphrase.ts'
import { serverVersion } from '../lib/version.ts'

const installed_settings = '/etc/mdm/mdm.env'
const usage = `mdm COMMAND

  start                          runs the server
  doctor                         looks at all that the server needs, and says what to do; exit code 1 when something is wrong
  backup FILE                    writes everything into one encrypted file; the server may run meanwhile
  backup --verify FILE           reads a backup to its end: every hash and every count
  restore FILE                   puts a backup where there is nothing yet; the server must not run
  restore --aside FILE           puts it in the place of what is there, which is kept under another name; no server may run
  move --to FILE                 takes the embedded database to the PostgreSQL of these settings, and files to their bucket where they
                                 have one; the server may run, and writes nothing while rows are copied
  user reset-password NAME       gives a new password to somebody who cannot sign in, and takes away the second factor
  activate FILE                  takes up an activation code (docs/private-deployment.md); - is standard input
  verify-release FILE --key KEY  says whether an archive is what was signed, by FILE.minisig; KEY is the public key or its file
  upgrade FILE --key KEY --passphrase-file FILE [--patience SECONDS]
                                 puts a release in the place of this one after a backup, and takes it back when it does not become ready
  install [--root DIR]           makes the server of this release a service of systemd; DIR is another root, of an image
  uninstall [--root DIR] [--purge]
                                 takes it away again; --purge: its settings and its data as well
  version

  --env FILE                     settings beside those of the environment: ./.env when absent, else ${installed_settings}
  --passphrase-file FILE         of backup and restore: its first line is the passphrase, which is asked for when absent
`
const print = (line: string) => void process.stdout.write(`${line}\n`)
const text = { type: 'string' } as const

function envFile(named: string | undefined): { env_file?: string } {
  if (named !== undefined) {
    if (!existsSync(named)) throw new OperatorFault(`There is no ${named}.`)
    return { env_file: resolve(named) }
  }
  const found = ['.env', installed_settings].find((path) => existsSync(path))
  return found === undefined ? {} : { env_file: resolve(found) }
}

async function settingsFor(named: string | undefined): Promise<Config> {
  const config = readConfig(process.env, envFile(named))
  await assertOwnUser(config.data)
  return config
}

/** The server that runs here, which root may ask as well as its own user. */
async function askedServer(named: string | undefined) {
  const config = readConfig(process.env, envFile(named))
  return { config, running: await runningServer(config.data) }
}

async function start(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { env: text }, strict: true })
  await settingsFor(values.env)
  const { run } = await import('../run.ts')
  await run(envFile(values.env))
}

async function doctor(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { env: text }, strict: true })
  const { examine, linesOf } = await import('./doctor/doctor.ts')
  const findings = await examine(envFile(values.env))
  linesOf(findings).forEach(print)
  if (findings.some(({ state }) => state === 'fault')) process.exitCode = 1
}

async function backup(args: string[]): Promise<void> {
  const options = { env: text, 'passphrase-file': text, verify: { type: 'boolean' } } as const
  const { values, positionals } = parseArgs({ args, options, strict: true, allowPositionals: true })
  const path = only(positionals, 'FILE')
  const passphrase = await readPassphrase(values['passphrase-file'], { is_new: values.verify !== true })
  const work = await import('./backup/backup.ts')
  if (values.verify) {
    const { about, files, bytes, objects } = await work.verify(path, passphrase)
    return print(
      `${path} is whole: of version ${about.version} and ${about.made_at}, ${about.database}, ${files} files (${objects} of customers), ${bytesText(bytes)}`,
    )
  }
  const config = await settingsFor(values.env)
  const { files, bytes, size, objects, was_running } = await work.backup(config, path, passphrase)
  print(
    `${path}: ${files} files (${objects} of customers), ${bytesText(bytes)} in ${bytesText(size)}; the server ${was_running ? 'went on' : 'did not run'}`,
  )
}

async function restore(args: string[]): Promise<void> {
  const options = { env: text, 'passphrase-file': text, aside: { type: 'boolean' } } as const
  const { values, positionals } = parseArgs({ args, options, strict: true, allowPositionals: true })
  const path = only(positionals, 'FILE')
  const config = await settingsFor(values.env)
  const passphrase = await readPassphrase(values['passphrase-file'], { is_new: false })
  const { restore: put } = await import('./backup/restore.ts')
  const is_aside = values.aside ?? false
  const restored = await put(config, path, passphrase, createLog('warn'), { is_aside })
  const { about, files, objects, has_key, kept } = restored
  if (kept.length > 0) print(`What was there before is kept in ${kept.join(' and in ')}.`)
  print(`Restored what ${about.made_at} was: ${files} files, ${objects} of them of customers. Start the server.`)
  if (!has_key && config.secret_key === undefined)
    print('The backup has no secret.key: set the MDM_SECRET_KEY of before, or the server will not start.')
}

async function moveHere(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { env: text, to: text }, strict: true })
  if (values.to === undefined) throw new Misuse('move --to FILE')
  const to = readConfig({}, envFile(values.to))
  const { config, running } = await askedServer(values.env)
  if (!running) await assertOwnUser(config.data)
  const { database_url, data, secret_key, s3 } = to
  if (database_url === undefined) throw new OperatorFault(`${values.to} has no DATABASE_URL.`)
  try {
    const there = { database_url, data, secret_key, s3 }
    const moved = running
      ? await running.ask({ ask: 'move', to: there })
      : await (await import('./stopped.ts')).moveStopped(config, there)
    if (moved.was_there) print('It had been moved before.')
    else
      print(
        `${moved.rows} rows of ${moved.tables} tables and ${moved.objects} files came over; nothing was written for ${(moved.read_only_ms / 1_000).toFixed(1)} s`,
      )
    print(
      `Start the server with ${values.to}. The one of before ${running ? 'answers, and takes up nothing more' : 'does not start any more'}.`,
    )
  } finally {
    running?.close()
  }
}

async function user(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args, options: { env: text }, strict: true, allowPositionals: true })
  const [what, ...names] = positionals
  if (what !== 'reset-password') throw new Misuse('user reset-password NAME')
  const username = only(names, 'NAME')
  const { config, running } = await askedServer(values.env)
  if (!running) await assertOwnUser(config.data)
  try {
    const { password } = running
      ? await running.ask({ ask: 'reset_password', username })
      : await (await import('./stopped.ts')).resetPasswordOfStopped(config, username)
    print(`${username} signs in with ${password} from now on, without a second factor. It is shown this once.`)
  } finally {
    running?.close()
  }
}

async function activate(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args, options: { env: text }, strict: true, allowPositionals: true })
  const path = only(positionals, 'FILE')
  const code = await readFile(path === '-' ? '/dev/stdin' : path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new OperatorFault(`${path} cannot be read (${error.code ?? error.message}).`)
  })
  const { running } = await askedServer(values.env)
  if (!running) throw new OperatorFault('The server has to run: mdm start.')
  try {
    const { name, ends_at } = await running.ask({ ask: 'activate', code: code.trim() })
    print(`Activated for ${name} until ${ends_at}.`)
  } finally {
    running.close()
  }
}

async function verifyReleaseHere(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args, options: { key: text }, strict: true, allowPositionals: true })
  const path = only(positionals, 'FILE')
  if (values.key === undefined) throw new Misuse('verify-release FILE --key KEY')
  const { verifyRelease } = await import('./verify-release.ts')
  const { trusted_comment, key_id } = await verifyRelease(path, await keyText(values.key))
  print(`${path} is what the key ${key_id} signed: ${trusted_comment}`)
}

const keyText = async (given: string) => (existsSync(given) ? readFile(given, 'utf8') : given)

async function upgradeHere(args: string[]): Promise<void> {
  const options = {
    env: text,
    key: text,
    'passphrase-file': text,
    patience: { type: 'string', default: '300' },
  } as const
  const { values, positionals } = parseArgs({ args, options, strict: true, allowPositionals: true })
  const archive = only(positionals, 'FILE')
  const { key, 'passphrase-file': passphrase_file } = values
  if (key === undefined || passphrase_file === undefined)
    throw new Misuse('upgrade FILE --key KEY --passphrase-file FILE')
  const seconds = Number(values.patience)
  if (!Number.isInteger(seconds) || seconds < 10 || seconds > 86_400)
    throw new Misuse('--patience is 10 to 86400 seconds')
  const config = readConfig(process.env, envFile(values.env))
  const { machineHere } = await import('./install.ts')
  const { upgrade } = await import('./upgrade.ts')
  const wanted = {
    archive,
    key: await keyText(key),
    passphrase_file: resolve(passphrase_file),
    patience_ms: seconds * 1_000,
  }
  await upgrade(config, { ...wanted, print }, machineHere())
}

async function installHere(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { root: { type: 'string', default: '/' } }, strict: true })
  const { install } = await import('./install.ts')
  install({ root: values.root, print })
}

async function uninstallHere(args: string[]): Promise<void> {
  const options = { root: { type: 'string', default: '/' }, purge: { type: 'boolean', default: false } } as const
  const { values } = parseArgs({ args, options, strict: true })
  const { uninstall } = await import('./install.ts')
  uninstall({ root: values.root, is_purged: values.purge, print })
}

function only(given: readonly string[], what: string): string {
  const [first, ...more] = given
  if (first === undefined || more.length > 0) throw new Misuse(`One ${what} is needed.`)
  return first
}

const commands: Record<string, (args: string[]) => Promise<void> | void> = {
  start,
  doctor,
  backup,
  restore,
  move: moveHere,
  user,
  activate,
  'verify-release': verifyReleaseHere,
  upgrade: upgradeHere,
  install: installHere,
  uninstall: uninstallHere,
  version: () => print(serverVersion()),
}

/** Exit code, and what is printed. Only what nobody foresaw comes with its stack. */
function failureOf(name: string, error: unknown): { code: 1 | 2; said: unknown } {
  const is_misuse = error instanceof Misuse || String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS')
  if (is_misuse) return { code: 2, said: `${(error as Error).message}\n\n${usage}` }
  if (error instanceof SettingsError)
    return { code: 2, said: name === 'start' ? error.message : error.problems.join('\n') }
  if (error instanceof OperatorFault || error instanceof DatabaseError) return { code: 1, said: error.message }
  return { code: 1, said: error }
}

async function main([name, ...args]: string[]): Promise<void> {
  if (name === undefined || name === 'help' || [name, ...args].includes('--help')) return print(usage)
  try {
    const command = commands[name === '--version' ? 'version' : name]
    if (!command) throw new Misuse(`There is no command ${name}.`)
    await command(args)
  } catch (error) {
    const { code, said } = failureOf(name, error)
    console.error(said)
    process.exitCode = code
  }
}

await main(process.argv.slice(2))
