import { readlink } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import { basename, join } from 'node:path'
import { TaskFailure } from './body.ts'
import { runCommand } from './command.ts'
import { readText } from './linux-read.ts'
import type { Roots } from './linux-read.ts'

/** A TCP connection with what it has carried since it was opened. */
export type Socket = {
  /** The kernel's own number, which is given out once in a boot. */
  id: string
  local: string
  peer: string
  pid: string | undefined
  received: number
  sent: number
}

/** Of iproute2: numbers only, no listeners, one line each. */
const command = ['ss', '-H', '-O', '-t', '-n', '-i', '-p', '-e']
const limits = { timeout_ms: 5_000, max_bytes: 8 * 1_048_576 }

/** Undefined where there is no `ss`, or one that does not know what it is asked. */
export async function readSockets(): Promise<Socket[] | undefined> {
  try {
    const { code, stdout } = await runCommand(command, limits)
    return code === 0 ? parseSockets(stdout.toString('utf8')) : undefined
  } catch (error) {
    // One that was too slow this time, on a busy machine, is asked again.
    if (error instanceof TaskFailure && error.code !== 'command_failed') return []
    return undefined
  }
}

export function parseSockets(text: string): Socket[] {
  return text.split('\n').flatMap((line) => {
    const [, , , local, peer] = line.trim().split(/\s+/)
    // What stands between quotation marks is the process's own word for itself; nothing is read from there.
    const end = line.lastIndexOf('))')
    const facts = line.slice(end + 1)
    const id = /\ssk:([0-9a-f]+)/.exec(facts)?.[1]
    if (!local || !peer || !id) return []
    return [
      {
        id,
        local: addressOf(local),
        peer: addressOf(peer),
        pid: end < 0 ? undefined : /pid=(\d+),fd=\d+\)\)$/.exec(line.slice(0, end + 2))?.[1],
        received: numberOf('bytes_received', facts),
        sent: numberOf('bytes_acked', facts),
      },
    ]
  })
}

const numberOf = (name: string, facts: string): number => Number(new RegExp(`\\s${name}:(\\d+)`).exec(facts)?.[1] ?? 0)

/** `[::ffff:10.0.0.1%eth0]:443` is 10.0.0.1. */
const addressOf = (said: string): string =>
  said
    .slice(0, said.lastIndexOf(':'))
    .replaceAll(/[[\]]/g, '')
    .replace(/%.*$/, '')
    .replace(/^::ffff:(?=\d+\.)/, '')

/** Interfaces of this machine by their addresses. */
export const ownAddresses = (): Map<string, string> =>
  new Map(
    Object.entries(networkInterfaces()).flatMap(([name, of = []]) => of.map(({ address }) => [address, name] as const)),
  )

/** The program of a process; its own word for itself where the program may not be looked at. */
export async function programOf({ proc }: Roots, pid: string): Promise<string | undefined> {
  const path = await readlink(join(proc, pid, 'exe')).catch(() => undefined)
  const name =
    path === undefined ? await readText(join(proc, pid, 'comm')) : basename(path.replace(/ \(deleted\)$/, ''))
  return name?.replaceAll(/\p{Cc}/gu, ' ').slice(0, 200) || undefined
}
