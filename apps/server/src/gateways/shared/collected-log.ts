import type { FastifyInstance } from 'fastify'
import { cannot } from './refusals.ts'
import { end } from './wanted-verdicts.ts'
import type { KeptWanted, Open, WantedTurn } from './wanted-work.ts'

/** So long an agent that tells its log line by line is listened to. */
const collect_ms = 5 * 60_000
const lines_max = 2_000

/** The push that wants its log. */
export const isLogging = ({ open }: KeptWanted): Open | undefined =>
  open.find(({ upload_url, state }) => upload_url !== undefined && state === 'executing')

export function keepLines({ kept }: WantedTurn, lines: readonly string[]): void {
  if (isLogging(kept)) kept.log = [...(kept.log ?? []), ...lines].slice(-lines_max)
}

/** Hands in what was collected, as the device itself would with its credential. */
export async function handInLog(app: FastifyInstance, at: WantedTurn, credential: string): Promise<void> {
  const logging = isLogging(at.kept)
  if (logging?.confirmed_at === undefined || at.now - logging.confirmed_at < collect_ms) return
  const text = at.kept.log?.join('\n') ?? 'The agent has logged nothing'
  const reply = await app.inject({
    ...{ method: 'PUT', url: logging.upload_url!, payload: `${text}\n` },
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'text/plain' },
  })
  delete at.kept.log
  // The agent goes on until it has heard that it need not.
  at.kept.is_due = true
  if (reply.statusCode !== 200)
    return end(at, logging, cannot('upload_failed', `The log was refused: ${reply.statusCode}`))
  const { object } = reply.json<{ data: { object: string } }>().data
  end(at, logging, { state: 'completed', result: { object } })
}
