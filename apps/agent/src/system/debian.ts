import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { TaskFailure } from '../body/body.ts'
import { runCommand } from '../body/command.ts'
import { isDiskFull } from '../body/failures.ts'
import { copyTo } from './places.ts'

const Pushed = z.array(z.string())
/** A post-installation script may compile something. */
const install_ms = 1_800_000
const ask_ms = 60_000
const text_max = 900
/** Nobody is there to answer a question of a package. */
const env = { DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' }
const keep_settings = ['--force-confdef', '--force-confold']

export type DebianOptions = {
  /** Folder that only root writes to: packages under way, and the names of those that were pushed. */
  state: string
  /** Options of dpkg, for another root than this machine's. apt is used where there are none. */
  dpkg?: readonly string[]
}

/** Debian packages of this system, by apt where it is there: it brings what a package depends on. */
export function debianPackages({ state, dpkg = [] }: DebianOptions) {
  const list_path = join(state, 'pushed-packages.json')
  const pushed = () => pushedPackages(state)
  const standing = (name: string) => standingOf(name, dpkg)
  const has_apt = dpkg.length === 0 && existsSync('/usr/bin/apt-get')
  const run = (command: string[], timeout_ms = install_ms) =>
    runCommand(command, { timeout_ms, env, max_bytes: 16 * 1_048_576 })

  async function note(names: string[]): Promise<void> {
    await writeFile(`${list_path}.new`, JSON.stringify(names))
    await rename(`${list_path}.new`, list_path)
  }

  async function field(archive: string, name: string): Promise<string> {
    const { code, stdout, stderr } = await run(['dpkg-deb', '-f', archive, name], ask_ms)
    if (code !== 0) throw new TaskFailure('bad_package', `dpkg-deb: ${stderr.trim()}`.slice(0, text_max))
    return stdout.toString('utf8').trim()
  }

  const installer = (archive: string): string[] =>
    has_apt
      ? [
          'apt-get',
          '-y',
          '-q',
          '--no-install-recommends',
          '--no-remove',
          '--allow-downgrades',
          '-o',
          'DPkg::Lock::Timeout=300',
          ...keep_settings.flatMap((option) => ['-o', `Dpkg::Options::=${option}`]),
          'install',
          archive,
        ]
      : ['dpkg', ...dpkg, ...keep_settings, '-i', archive]

  /** A package manager that was killed with the machine wants this first. */
  async function install(archive: string) {
    const ran = await run(installer(archive))
    if (ran.code === 0 || !/dpkg was interrupted|dpkg --configure -a/.test(ran.stderr)) return ran
    await run(['dpkg', ...dpkg, ...keep_settings, '--configure', '-a'])
    return run(installer(archive))
  }

  /** What is left of a failed installation, in words. A package that was not there before is not there afterwards. */
  async function clear(name: string, before: string | undefined): Promise<string> {
    const now = await standing(name)
    if (now?.status === 'installed') return `version ${now.version} is installed`
    if (before === undefined && now && now.status !== 'not-installed') {
      await run(['dpkg', ...dpkg, '--force-remove-reinstreq', '--force-depends', '--purge', name])
      const left = await standing(name)
      if (left && left.status !== 'not-installed') return `it is ${left.status}`
    }
    return before === undefined || !now ? 'it is not installed' : `it is ${now.status}, version ${now.version}`
  }

  return {
    pushed,
    async install(of: { place: string; sha256: string; package: string }): Promise<void> {
      await mkdir(state, { recursive: true, mode: 0o755 })
      // Copied first: what it was verified to be stays what is installed. apt wants a name that ends in .deb.
      const archive = join(state, `${of.sha256}.deb`)
      try {
        await copyTo(of.place, archive, of.sha256)
        const name = await field(archive, 'Package')
        const version = await field(archive, 'Version')
        if (name !== of.package) throw new TaskFailure('bad_package', `The package is ${name}, not ${of.package}`)
        const there = await standing(name)
        const before = there?.status === 'installed' ? there.version : undefined
        // An attempt before was cut off by the restart that the package itself brought.
        if (before === version) return
        const names = await pushed()
        const { code, stdout, stderr } = await install(archive)
        const now = await standing(name)
        if (code === 0 && now?.status === 'installed' && now.version === version) {
          // What the maker of the device put there stays his to remove.
          if (before === undefined && !names.includes(name)) await note([...names, name])
          return
        }
        const said = `${stdout.toString('utf8')}\n${stderr}`
        const is_full = /No space left on device|not enough free space/i.test(said)
        const reason = reasonIn(said) || `exit ${code}`
        throw new TaskFailure(
          is_full ? 'no_space' : 'command_failed',
          `${reason.slice(0, text_max)}: ${await clear(name, before)}`,
        )
      } catch (error) {
        if (isDiskFull(error)) throw new TaskFailure('no_space', 'No space left on this device')
        throw error
      } finally {
        await rm(archive, { force: true })
      }
    },
    async remove(name: string): Promise<boolean> {
      const names = await pushed()
      if (!names.includes(name)) return false
      const { code, stderr } = await run(['dpkg', ...dpkg, '--remove', name])
      if (code !== 0) throw new TaskFailure('command_failed', `dpkg: ${stderr.trim()}`.slice(0, text_max))
      await note(names.filter((each) => each !== name))
      return true
    },
    async installed(name: string): Promise<string | undefined> {
      const there = await standing(name)
      return there?.status === 'installed' ? there.version : undefined
    },
  }
}

/** Anybody may read who was pushed. */
export async function pushedPackages(state: string): Promise<string[]> {
  const text = await readFile(join(state, 'pushed-packages.json'), 'utf8').catch(() => '[]')
  return Pushed.safeParse(JSON.parse(text)).data ?? []
}

/** What dpkg knows of a package: `installed`, `half-configured` and so on; undefined where it never was there. */
async function standingOf(name: string, dpkg: readonly string[]) {
  const root = dpkg.filter((option) => option.startsWith('--root='))
  const format = '${db:Status-Status}\\t${Version}'
  const ran = await runCommand(['dpkg-query', ...root, '-W', `-f=${format}`, name], { timeout_ms: ask_ms, env })
  const [status, version] = ran.stdout.toString('utf8').split('\t')
  return ran.code === 0 && status && version ? { status, version } : undefined
}

/** The lines that say why, of all that a package manager prints. */
function reasonIn(said: string): string {
  const lines = said.split('\n').map((line) => line.trim())
  const at = lines.findIndex((line) => /^(E:|dpkg: error|dpkg: dependency problems)|unmet dependencies/.test(line))
  return at < 0
    ? ''
    : lines
        .slice(at, at + 8)
        .filter((line) => line !== '')
        .join(' ')
}
