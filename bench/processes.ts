import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

const ticksPerSecond = 100

/** CPU seconds, user and system, that a process and its threads have used (Linux). */
export const cpuSeconds = (pid: number): number => statSeconds(pid, 11)
/** The same of its children that have ended. */
const endedCpuSeconds = (pid: number): number => statSeconds(pid, 13)
function statSeconds(pid: number, field: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[field]) + Number(fields[field + 1])) / ticksPerSecond
}
/** The same of a process and everything below it, also what has ended by now. */
export const treeCpuSeconds = (pid: number): number =>
  [pid, ...descendants(pid)].reduce((sum, p) => sum + quietly(() => cpuSeconds(p) + endedCpuSeconds(p), 0), 0)
/** Bytes of memory that belong to a process alone and to those below it. */
export const treeMemory = (pid: number): number =>
  [pid, ...descendants(pid)].reduce((sum, p) => sum + quietly(() => privateMemory(p), 0), 0)

/** A process and those below it. */
export const treePids = (pid: number): number[] => [pid, ...descendants(pid)]

const privateMemory = (pid: number): number => rollup(pid, ['Private_Clean', 'Private_Dirty'])
/** Bytes of memory of a process and those below it; what several share is divided among them. */
export const treePss = (pid: number): number =>
  treePids(pid).reduce((sum, p) => sum + quietly(() => rollup(p, ['Pss']), 0), 0)

function rollup(pid: number, names: string[]): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const kib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0)
  return names.reduce((sum, name) => sum + kib(name), 0) * 1024
}
function descendants(pid: number): number[] {
  const children = quietly(
    () => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
    [],
  )
  return children.flatMap((child) => [child, ...descendants(child)])
}
function quietly<T>(run: () => T, otherwise: T): T {
  try {
    return run()
  } catch {
    return otherwise
  }
}

export type Running = { child: ChildProcess; pid: number; stop(): Promise<void> }

/** Starts a Node process; its standard error is ours. */
export function start(args: string[], env: Record<string, string>): Running {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    // Bytes stay bytes on the way.
    serialization: 'advanced',
  })
  child.stdout!.resume()
  return {
    child,
    pid: child.pid!,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
    },
  }
}
