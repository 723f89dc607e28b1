import { randomBytes } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { digest } from '../../../lib/ids.ts'

export type ViewerRow = Selectable<Tables['remote_viewer']>

const viewer_ms = 30_000
/** Between two servers. */
const node_ms = 10_000

export const newTicket = (): { ticket: string; hash: Buffer } => {
  const ticket = randomBytes(32).toString('base64url')
  return { ticket, hash: digest(ticket) }
}

const unused = (deps: Deps, kid: string) =>
  deps.db
    .updateTable('remote_viewer')
    .where('kid', '=', kid)
    .where('left_at', 'is', null)
    .where('ticket_ends_at', '>', deps.clock.now())

/** The device's end of this tunnel will be on this server. Undefined: no such ticket, or not of this device. */
export const useDeviceTicket = (deps: Deps, kid: string, ticket: string, terminal_kid: string) =>
  unused(deps, kid)
    .set({ device_ticket: null, node_kid: deps.node_kid })
    .where('device_ticket', '=', digest(ticket))
    .where('terminal_kid', '=', terminal_kid)
    .returningAll()
    .executeTakeFirst()

/** With a ticket for the server where the device's end is, when that is another one. */
export async function useViewerTicket(deps: Deps, kid: string, ticket: string) {
  const { ticket: onward, hash } = newTicket()
  const ticket_ends_at = new Date(deps.clock.now().getTime() + node_ms)
  const row = await unused(deps, kid)
    .set({ viewer_ticket: null, node_ticket: hash, ticket_ends_at })
    .where('viewer_ticket', '=', digest(ticket))
    .where('node_kid', 'is not', null)
    .returningAll()
    .executeTakeFirst()
  return row && { row, onward }
}

export const useNodeTicket = (deps: Deps, kid: string, ticket: string) =>
  unused(deps, kid)
    .set({ node_ticket: null })
    .where('node_ticket', '=', digest(ticket))
    .where('node_kid', '=', deps.node_kid)
    .returningAll()
    .executeTakeFirst()

/** For the browser, once the device's end stands. Undefined when that has gone again, or never came. */
export async function giveViewerTicket(deps: Deps, kid: string): Promise<string | undefined> {
  const { ticket, hash } = newTicket()
  const given = await deps.db
    .updateTable('remote_viewer')
    .set({ viewer_ticket: hash, ticket_ends_at: new Date(deps.clock.now().getTime() + viewer_ms) })
    .where('kid', '=', kid)
    .where('left_at', 'is', null)
    .where('node_kid', 'is not', null)
    .returning('kid')
    .executeTakeFirst()
  return given && ticket
}
