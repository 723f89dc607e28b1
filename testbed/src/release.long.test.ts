import { execFile, spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { contract } from '@mdm/contract'
import { openDatabase } from '@mdm/server/db/client.ts'
import { migrations } from '@mdm/server/db/schema/migrations/index.ts'
import { realClock } from '@mdm/server/lib/clock.ts'
import { createLog } from '@mdm/server/lib/log.ts'
import { serverVersion } from '@mdm/server/lib/version.ts'
import { clientHash, verifyPassword } from '@mdm/server/lib/passwords.ts'
import { createSession } from '@mdm/server/modules/people/login/index.ts'
import { readConfig } from '@mdm/server/config.ts'
import { upgrade } from '@mdm/server/operate/upgrade.ts'
import type { Machine } from '@mdm/server/operate/upgrade.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { caller } from './caller.ts'
import type { Caller } from './caller.ts'
import { until } from './until.ts'
import { uploadFile } from './upload.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)
/** Nobody is an ordinary user of every Linux; who is no root already is one. */
const as = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
const has_systemd = spawnSync('systemd-analyze', ['--version']).status === 0
const has_dpkg = spawnSync('dpkg-deb', ['--version']).status === 0
const has_minisign = spawnSync('minisign', ['-v']).error === undefined
const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` }
let folder: string
/** The release that was built, and the command of the one that runs. */
let built: string
let mdm: string
let server: ChildProcess | undefined
let url: string
let said = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mdm-release-test-'))
  const made = ['--without-agent', ...(has_dpkg ? ['--deb'] : [])]
  await run(process.execPath, ['tools/run.mjs', 'release', '--out', folder, ...made], { cwd: root })
  const archive = (await readdir(folder)).find((name) => name.endsWith('.tar.gz'))!
  if (as.uid !== undefined) await chown(folder, as.uid, as.gid)
  await chmod(folder, 0o700)
  await run('tar', ['-xzf', archive], { cwd: folder, ...as })
  built = join(folder, archive.replace('.tar.gz', ''))
  mdm = join(built, 'bin/mdm')
  await writeFile(join(folder, '.env'), 'MDM_HTTP_PORT=0\nMDM_HTTP_HOST=127.0.0.1\nMDM_MQTT_PORT=0\n')
  await writeFile(join(folder, 'passphrase'), 'seven made-up words\n')
  for (const name of ['.env', 'passphrase']) if (as.uid !== undefined) await chown(join(folder, name), as.uid, as.gid)
})
afterAll(async () => {
  server?.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

const command = (...args: string[]) =>
  run(mdm, args, { cwd: folder, env, ...as }).then(
    ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  )
const sealed = ['--passphrase-file', 'passphrase']

async function start(): Promise<void> {
  said = ''
  const child = spawn(mdm, ['start'], { cwd: folder, env, ...as, stdio: ['ignore', 'pipe', 'inherit'] })
  server = child
  child.stdout.on('data', (bytes: Buffer) => (said += bytes.toString()))
  url = await until('the server to say its address', () => /Console {2}(http\S+)/.exec(said)?.[1])
}
async function stop(signal: NodeJS.Signals): Promise<void> {
  const child = server!
  const gone = new Promise((done) => child.once('exit', done))
  // The starter is a shell that has become Node.
  child.kill(signal)
  await gone
  server = undefined
}

/** Runs on the database of a server that is stopped. */
async function inDatabase<T>(work: (db: Awaited<ReturnType<typeof openDatabase>>['kysely']) => Promise<T>): Promise<T> {
  const data_dir = join(folder, 'data/db')
  const database = await openDatabase({ data_dir, migrations, log: createLog('silent'), maintenance_every_ms: 0 })
  try {
    return await work(database.kysely)
  } finally {
    await database.close()
    if (as.uid !== undefined) await run('chown', ['-R', `${as.uid}:${as.gid}`, join(folder, 'data')])
  }
}
const admin = 'admin'
const tokenOfAdmin = () =>
  inDatabase(async (db) => {
    const user = await db
      .selectFrom('user_account')
      .select('kid')
      .where('username', '=', admin)
      .executeTakeFirstOrThrow()
    // People solve a puzzle, whose answer stands in a database that nobody else may open while the server runs.
    const deps = { db, clock: realClock } as Parameters<typeof createSession>[0]
    return createSession(deps, user.kid, { address: '127.0.0.1', user_agent: 'test', browser_cookie: undefined })
  })

const bytes = Buffer.alloc(3_000_000, 'a file of a customer ')
const digest = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')
const customer = (operator: Caller, n: number) =>
  operator.opsAccount.insert({
    name: `Harbour Line ${n}`,
    username: `harbour.${n}`,
    password: clientHash('a password of 2026!'),
    terminal_max: n,
  })

it('runs as an ordinary user from its archive, and comes back from a backup that was made at work', async () => {
  expect((await command('doctor')).code).toBe(0)
  await start()
  expect(said).toMatch(/sign in as admin with the password/)
  expect(said).toMatch(/Still open:/)
  await stop('SIGTERM')
  const token = await tokenOfAdmin()

  await start()
  let operator = caller(url, { token })
  const first = await customer(operator, 1)
  await operator.opsAccount.enter({ kid: first.kid })
  const inside = () => caller(url, { token, account_kid: first.kid })
  const upload_kid = await uploadFile(inside(), 'map.bin', bytes)
  const { kid: file_kid } = await inside().fileCloud.insert({ upload_kid, name: 'map.bin' })
  expect((await command('doctor')).stdout).toMatch(/server +version \S+ runs/)

  expect((await command('activate', 'passphrase')).stderr).toBe('This environment does not need activation.\n')

  // What people do while the backup is made is in it or not, and never half.
  const people = { at_work: true }
  let known = 1
  const working = (async () => {
    while (people.at_work) await customer(operator, ++known)
  })()
  const made = await command('backup', 'first.backup', ...sealed)
  people.at_work = false
  await working
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/1 of customers.*the server went on/) })
  expect(known).toBeGreaterThan(2)
  expect((await command('backup', '--verify', 'first.backup', ...sealed)).stdout).toMatch(/is whole/)

  await stop('SIGKILL')
  expect(await command('restore', 'first.backup', ...sealed)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/There is a database in/),
  })
  await rename(join(folder, 'data'), join(folder, 'lost'))
  expect((await command('restore', 'first.backup', ...sealed)).stdout).toMatch(/Start the server/)

  await start()
  expect(said).not.toMatch(/First start/)
  operator = caller(url, { token })
  expect(await operator.opsAccount.get({ kid: first.kid })).toMatchObject({ name: 'Harbour Line 1', terminal_max: 1 })
  const { total } = await operator.opsAccount.paging({})
  expect(total).toBeGreaterThanOrEqual(1)
  expect(total).toBeLessThanOrEqual(known)
  const file = await inside().fileCloud.get({ kid: file_kid })
  const fetched = await fetch(new URL(file.url!, url))
  expect(digest(new Uint8Array(await fetched.arrayBuffer()))).toBe(digest(bytes))

  const { stdout } = await command('user', 'reset-password', admin)
  const password = /signs in with (\S+)/.exec(stdout)?.[1]
  expect((await operator.try_(contract.opsAccount.calls.paging, {})).status).toBe(401)
  await stop('SIGTERM')
  const { password_hash } = await inDatabase((db) =>
    db.selectFrom('user_account').select('password_hash').where('username', '=', admin).executeTakeFirstOrThrow(),
  )
  expect(await verifyPassword(clientHash(password!), password_hash)).toMatchObject({ is_right: true })
})

it('has the pages of production, though a test has built them', async () => {
  const dist = join(built, 'apps/console/dist/assets')
  const { stdout } = await run('grep', ['-rlE', '"test-id"|`test-id`', dist]).catch(
    ({ stdout }: { stdout: string }) => ({ stdout }),
  )
  expect(stdout).toBe('')
})

it('finds a backup damaged wherever a bit is another, or its end is missing', async () => {
  const whole = await readFile(join(folder, 'first.backup'))
  const changed = join(folder, 'changed.backup')
  for (const at of [20, 300, Math.floor(whole.length / 2), whole.length - 5]) {
    await writeFile(changed, whole)
    const file = await open(changed, 'r+')
    await file.write(Buffer.from([whole[at]! ^ 1]), 0, 1, at)
    await file.close()
    if (as.uid !== undefined) await chown(changed, as.uid, as.gid)
    expect(await command('backup', '--verify', 'changed.backup', ...sealed)).toMatchObject({ code: 1 })
  }
  await writeFile(changed, whole.subarray(0, whole.length - 1_000))
  expect((await command('backup', '--verify', 'changed.backup', ...sealed)).stderr).toMatch(/damaged/)
})

it.skipIf(!has_systemd)('is a service of systemd that has few rights, in another root too', async () => {
  const image = join(folder, 'image')
  expect((await command('install', '--root', image)).stdout).toMatch(/starts with the machine/)
  expect(await readlink(join(image, 'usr/local/bin/mdm'))).toBe(mdm)
  const units = join(image, 'etc/systemd/system')
  const settings = join(image, 'etc/mdm/mdm.env')
  expect((await stat(settings)).mode & 0o777).toBe(0o640)
  await writeFile(settings, 'MDM_DATA=/srv/mdm\n')
  // What the unit names of the system.
  for (const name of ['sysinit', 'basic', 'shutdown', 'network-online', 'multi-user'])
    await writeFile(join(units, `${name}.target`), `[Unit]\nDescription=${name}\nDefaultDependencies=no\n`)
  await mkdir(join(image, 'usr/local/bin'), { recursive: true })
  await rm(join(image, 'usr/local/bin/mdm'))
  await writeFile(join(image, 'usr/local/bin/mdm'), '#!/bin/sh\n', { mode: 0o755 })
  const found = await run('systemd-analyze', ['verify', `--root=${image}`, 'mdm.service']).then(
    ({ stderr }) => stderr,
    ({ stderr }: { stderr: string }) => stderr,
  )
  expect(found.split('\n').filter((line) => line.includes('mdm.service'))).toEqual([])
  const { stdout } = await run('systemd-analyze', ['security', '--offline=true', `--root=${image}`, 'mdm.service'])
  expect(Number(/Overall exposure level for mdm.service: ([\d.]+)/.exec(stdout)?.[1])).toBeLessThan(3)

  expect((await command('install', '--root', image)).code).toBe(0)
  expect(await readFile(settings, 'utf8')).toBe('MDM_DATA=/srv/mdm\n')
  expect((await command('uninstall', '--root', image)).code).toBe(0)
  expect(await readdir(units)).not.toContain('mdm.service')
  expect(await readFile(settings, 'utf8')).toBe('MDM_DATA=/srv/mdm\n')
})

it.skipIf(!has_dpkg)('is installed, removed and purged as a Debian package, in another root too', async () => {
  const [name] = (await readdir(folder)).filter((each) => each.endsWith('.deb'))
  expect(name).toBe(`mdm-server_${serverVersion()}_all.deb`)
  const image = join(folder, 'debian')
  for (const each of ['var/lib/dpkg/info', 'var/lib/dpkg/updates']) await mkdir(join(image, each), { recursive: true })
  for (const each of ['status', 'available']) await writeFile(join(image, 'var/lib/dpkg', each), '')
  const options = [`--root=${image}`, '--force-script-chrootless', '--force-depends', '--force-not-root']
  const dpkg = (...args: string[]) =>
    run('dpkg', [...options, `--log=${folder}/dpkg.log`, ...args], {
      env: { PATH: `${env.PATH}:/usr/sbin:/sbin` },
    })
  await dpkg('--install', join(folder, name!))
  const at = basename(built)
  expect(await readlink(join(image, 'usr/local/bin/mdm'))).toBe(`/opt/${at}/bin/mdm`)
  expect((await run(join(image, 'opt', at, 'bin/mdm'), ['version'], { env })).stdout.trim()).toBe(serverVersion())
  const settings = join(image, 'etc/mdm/mdm.env')
  await writeFile(settings, 'MDM_HTTP_PORT=8081\n')
  await dpkg('--remove', 'mdm-server')
  expect(await readdir(join(image, 'etc/systemd/system'))).not.toContain('mdm.service')
  expect(await readFile(settings, 'utf8')).toBe('MDM_HTTP_PORT=8081\n')
  await dpkg('--purge', 'mdm-server')
  expect(await readdir(join(image, 'etc'))).not.toContain('mdm')
})

/** A later release of the same code, signed; `at_start` are lines of a shell that run when it is started. */
async function laterRelease(version: string, at_start = ''): Promise<string> {
  const release = join(folder, `mdm-${version}-linux-${process.arch}`)
  await run('cp', ['-a', built, release])
  const dist = join(release, 'apps/server/dist')
  const { stdout } = await run('grep', ['-rlF', `"${serverVersion()}"`, dist])
  const bundles = stdout.trim().split('\n')
  expect(bundles.length).toBeGreaterThan(0)
  await run('sed', ['-i', `s/"${serverVersion()}"/"${version}"/g`, ...bundles])
  const program = join(release, 'bin/mdm')
  const lines = `#!/bin/sh\nif [ "$1" = start ]; then ${at_start} fi\n`
  if (at_start) await writeFile(program, (await readFile(program, 'utf8')).replace('#!/bin/sh\n', lines))
  const archive = `${release}.tar.gz`
  await run('tar', ['-czf', archive, '-C', folder, basename(release)])
  await rm(release, { recursive: true })
  await run('minisign', ['-S', '-s', join(folder, 'key'), '-m', archive])
  return archive
}

it.skipIf(!has_minisign)('is upgraded by one command, and comes back when the later one does not run', async () => {
  await run('minisign', ['-G', '-W', '-p', join(folder, 'key.pub'), '-s', join(folder, 'key')])
  const patience_ms = 40_000
  const config = readConfig({ MDM_DATA: join(folder, 'data') }, { env_file: join(folder, 'none') })
  const lines: string[] = []
  const begin = async (release: string) => {
    mdm = join(release, 'bin/mdm')
    server = spawn(mdm, ['start'], { cwd: folder, env, ...as, stdio: 'ignore' })
  }
  const end = async () => {
    if (server?.exitCode === null) await stop('SIGTERM')
  }
  const machine = (): Machine => ({
    ...{ installed: dirname(dirname(mdm)), backups: folder, stop: end, start: () => begin(dirname(dirname(mdm))) },
    async asServer(release, args) {
      await run(join(release, 'bin/mdm'), args, { cwd: folder, env, ...as })
    },
    async install(release) {
      await end()
      await begin(release)
    },
  })
  const to = async (archive: string, passphrase = 'passphrase') => {
    lines.length = 0
    const wanted = { archive, key: await readFile(join(folder, 'key.pub'), 'utf8'), patience_ms }
    const print = (line: string) => void lines.push(line)
    return upgrade(config, { ...wanted, passphrase_file: join(folder, passphrase), print }, machine())
  }
  const names = () =>
    inDatabase((db) => db.selectFrom('account').select('name').where('name', 'like', 'Harbour%').execute())

  const known = await names()
  expect(known.length).toBeGreaterThan(0)
  const later = await laterRelease('9.0.0')
  await expect(to(later), 'no server runs').rejects.toThrow('runs and is ready')
  await start()
  await expect(to(later, 'none')).rejects.toThrow('none cannot be read')
  await to(later)
  expect(lines.at(-1)).toMatch(/^9\.0\.0 runs/)
  await expect(to(later), 'it is the one that runs').rejects.toThrow('already')
  await expect(to(await laterRelease('8.0.0'))).rejects.toThrow('8.0.0 is not later than 9.0.0')

  await expect(to(await laterRelease('9.1.0', 'exit 3;'))).rejects.toThrow('9.1.0 did not become ready')
  expect(lines.at(-1)).toMatch(/^9\.0\.0 runs again, on the data as they are/)

  const spoils = 'rm -rf data/db/cluster/base data/db/cluster/global; exit 3;'
  await expect(to(await laterRelease('9.2.0', spoils))).rejects.toThrow('9.2.0 did not become ready')
  expect(lines.at(-1)).toMatch(/^9\.0\.0 runs again, on the backup of before/)
  await end()
  expect(await names()).toEqual(known)
})
