import { createHash } from 'node:crypto'
import type { Up } from '@mdm/device-link'
import type { Deps } from '../../deps.ts'
import { newKid } from '../../lib/ids.ts'
import type { CheckIn, DownMessage, UpMessage } from '../../link/check-ins.ts'

/** What is found to be due while a check-in is answered. */
const rounds_max = 5

export type Say = (name: UpMessage['name'], payload: object) => void
type Talk = Omit<CheckIn, 'messages' | 'wait_ms'> & {
  /** What the device says; what is said while it is answered is added to it, and goes out too. */
  messages: UpMessage[]
  /** Before the link is told that the device has it. */
  keep(): Promise<void>
  take(message: DownMessage): void | Promise<void>
}

/** A check-in of a device at the link, until neither has more to say. */
export async function talk(deps: Deps, { messages, keep, take, ...device }: Talk): Promise<void> {
  for (let round = 0; round < rounds_max; round += 1) {
    await keep()
    if (round > 0 && messages.length === 0) return
    const came = await deps.link.checkIn({ ...device, messages: messages.splice(0), wait_ms: 0 })
    for (const message of came) await take(message)
  }
}

/**
 * What it would say to begin a connection; undefined where it has said the same before, which `kept.hello` tells. A list of packages is
 * always said.
 */
export function helloOnce(kept: { hello?: string }, hello: Omit<Up['hello'], 'epoch'>): Up['hello'] | undefined {
  const { packages, ...inventory } = hello.inventory
  const digest = createHash('sha256')
    .update(JSON.stringify([inventory, hello.boot_id, hello.config_version]))
    .digest('base64')
  if (digest === kept.hello && !packages) return undefined
  kept.hello = digest
  return { epoch: newKid(), ...hello }
}
