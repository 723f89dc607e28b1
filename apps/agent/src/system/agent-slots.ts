import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs'
import { chmod, mkdir, open, readlink, rename, rm, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { AppToInstall } from '@mdm/device-link'
import { TaskFailure } from '../body/body.ts'
import type { SelfBody } from '../body/body.ts'
import { runCommand } from '../body/command.ts'
import { isDiskFull } from '../body/failures.ts'
import { otherSlot, slotBook, syncFolder, writeDurably } from '../body/slot-book.ts'
import type { Book } from '../body/slot-book.ts'
import { unzip } from '../body/unzip.ts'

export const agent_script = 'mdm-agent.mjs'
/** Where a package has the agent. */
const in_package = 'usr/lib/mdm-agent'
/** Beside a version in a slot: the version of the package that was installed then. */
const base_name = 'base'
const current_name = 'current'
const unpack_ms = 300_000
const unpacked_max = 1024 ** 3
export const trial_variable = 'MDM_AGENT_TRIAL'

type Options = {
  /** Folder of the slots, which the starter reads too. */
  dir: string
  /** Folder of the agent that was installed. */
  base: string
  /** Folder of downloaded packages. */
  packages: string
  version: string
  /** How long a new version has until the server has heard of it. */
  trial_seconds: number
  log: (line: string) => void
  /** This agent has to end; `then` is what comes after that. */
  end: (then: 'try' | 'leave') => void
  env?: Record<string, string | undefined>
  script?: string
}
export type AgentSlots = Awaited<ReturnType<typeof agentSlots>>

/**
 * Versions of the agent itself: the one that was installed, and two slots for those that were pushed. `current` leads to the slot whose version
 * proved itself; the starter follows it as long as the installed package is the one of then. A version that was written is tried by the agent that
 * runs, as its child, and `current` changes only when the server has heard from it: whatever is cut off, the former one starts again.
 */
export async function agentSlots(options: Options) {
  const { dir, base, log, end, env = process.env, script = process.argv[1] ?? '' } = options
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const book = slotBook(join(dir, 'state.json'))
  const read = async (): Promise<Book> => (await book.read()) ?? { active: 'a' }
  const installed = readText(join(base, 'version')) ?? ''
  const first = await read()
  const is_trial = first.trial?.state === 'trying' && env[trial_variable] === first.trial.id
  /** The version on trial, while this agent watches it. */
  let child: ChildProcess | undefined

  /** Has the starter take the slot that counts. Says whether it would have taken another version. */
  async function setCurrent(): Promise<boolean> {
    const { active } = await read()
    const wanted =
      existsSync(join(dir, active, agent_script)) && readText(join(dir, active, base_name)) === installed
        ? active
        : undefined
    const path = join(dir, current_name)
    const before = await readlink(path).catch(() => undefined)
    if (before === wanted) return false
    if (wanted === undefined) await rm(path, { force: true })
    else {
      await rm(`${path}.new`, { force: true })
      await symlink(wanted, `${path}.new`)
      await rename(`${path}.new`, path)
    }
    await syncFolder(dir)
    return true
  }

  if (first.trial?.state === 'trying' && !is_trial) {
    endLeftBehind(first.trial.pid, join(dir, first.trial.slot))
    await book.leave('The agent was started again before the new version had reached the server')
  }
  const folder = dirname(realpathSync(script))
  const was_other = !is_trial && (await setCurrent())
  const counts = realpathOf(join(dir, current_name)) ?? realpathOf(base)

  async function unpack(kind: AppToInstall['kind'], archive: string, to: string, signal: AbortSignal): Promise<void> {
    if (kind === 'zip') await unzip(archive, to, { max_bytes: unpacked_max, signal })
    else await unpackDebian(archive, to)
    if (!isPlainFile(join(to, agent_script)))
      throw new TaskFailure('bad_package', `There is no ${agent_script} in the package`)
    const node = join(to, 'node')
    if (existsSync(node) && !isPlainFile(node)) throw new TaskFailure('bad_package', 'node is no file in the package')
    for (const path of [join(to, agent_script), node]) if (existsSync(path)) await flush(path)
    if (existsSync(node)) await chmod(node, 0o755)
  }

  const body: SelfBody = {
    version: options.version,
    ...book.trials,
    async confirm() {
      await book.trials.confirm()
      await setCurrent()
    },
    async write({ id, kind, place }, signal) {
      const { active } = await read()
      const slot = otherSlot(active)
      const to = join(dir, slot)
      await rm(to, { recursive: true, force: true })
      await mkdir(to, { recursive: true, mode: 0o700 })
      try {
        await unpack(kind, join(options.packages, place), to, signal)
        await writeDurably(join(to, base_name), installed)
      } catch (error) {
        await rm(to, { recursive: true, force: true })
        throw error
      }
      const { trial_seconds: confirm_seconds } = options
      await book.save({ active, trial: { id, slot, state: 'written', confirm_seconds } })
    },
    restart: () => end('try'),
    leave: () => end('leave'),
  }

  return {
    body,
    is_trial,
    /** The starter took a version that does not count any more, or not yet. */
    is_other: was_other && counts !== undefined && folder !== counts,
    /** Runs the version that was written until it has proved itself, has ended, or its time is over. */
    async tryWritten(): Promise<void> {
      const { active, trial } = await read()
      if (trial?.state !== 'written') return
      const at = join(dir, trial.slot)
      const trying = { ...trial, state: 'trying' as const }
      await book.save({ active, trial: trying })
      log('a new version of the agent is on trial')
      const { NOTIFY_SOCKET: _, ...rest } = env
      const own = join(at, 'node')
      const started = spawn(
        existsSync(own) ? own : process.execPath,
        [...process.execArgv, join(at, agent_script), ...process.argv.slice(2)],
        { env: { ...rest, [trial_variable]: trial.id }, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
      )
      child = started
      const ended = new Promise<string>((resolve) => {
        started.on('error', (error) => resolve(error.message))
        started.on('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
      })
      if (started.pid !== undefined) await markPid(trying, started.pid)
      let is_late = false
      const late = setTimeout(() => {
        is_late = true
        started.kill('SIGKILL')
      }, trial.confirm_seconds * 1_000)
      const how = await ended
      clearTimeout(late)
      child = undefined
      const reason = is_late
        ? `The new version did not reach the server within ${trial.confirm_seconds} s`
        : `The new version ended before it reached the server: ${how}`
      await body.roll_back(reason)
      const { state } = (await read()).trial!
      log(state === 'confirmed' ? 'the new version of the agent is kept' : `back to the former agent: ${reason}`)
    },
    /** Ends the version on trial with this agent. */
    stop: () => void child?.kill('SIGKILL'),
  }

  /** For the agent that finds it running after this one was killed. It may have proved itself by now. */
  async function markPid(trying: NonNullable<Book['trial']>, pid: number): Promise<void> {
    const { active, trial } = await read()
    if (trial?.state === 'trying' && trial.id === trying.id) await book.save({ active, trial: { ...trying, pid } })
  }
}

async function unpackDebian(archive: string, to: string): Promise<void> {
  const tree = join(to, 'tree')
  const { code, stderr } = await runCommand(['dpkg-deb', '-x', archive, tree], { timeout_ms: unpack_ms })
  if (code !== 0 && /No space left/i.test(stderr)) throw new TaskFailure('no_space', 'No space left on this device')
  if (code !== 0) throw new TaskFailure('bad_package', `dpkg-deb: ${stderr.trim()}`.slice(0, 900))
  for (const name of [agent_script, 'node'])
    await rename(join(tree, in_package, name), join(to, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
  await rm(tree, { recursive: true, force: true })
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r+').catch((error: unknown) => {
    if (isDiskFull(error)) throw new TaskFailure('no_space', 'No space left on this device')
    throw error
  })
  await file.sync().finally(() => file.close())
}

const isPlainFile = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return undefined
  }
}

function realpathOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

/** Numbers of processes are given out again: it is ended only where it runs what is in the slot. */
function endLeftBehind(pid: number | undefined, slot: string): void {
  if (pid === undefined) return
  const words = readText(`/proc/${pid}/cmdline`)?.split('\0') ?? []
  if (words.includes(join(slot, agent_script))) process.kill(pid, 'SIGKILL')
}
