import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Deps } from '../../deps.ts'

/** Proxies cut a connection on which nothing moves after a minute. */
const held_ms = 50_000
/** An agent rests between two polls, and takes a while to come for what it is told of. */
const between_ms = 20_000

/** Devices that wait for news: each holds one request, over which it can be told to come. */
export function heldPolls(app: FastifyInstance, deps: Deps) {
  const held = new Set<(has_news: boolean) => void>()
  app.addHook('preClose', async () => {
    for (const end of held) end(false)
  })

  /** Whether there is news, of which `look` knows at once; a later poll of the device ends this one. */
  return async (kid: string, reply: FastifyReply, look: () => Promise<boolean>): Promise<boolean> => {
    let end: (has_news: boolean) => void = () => {}
    const ended = new Promise<boolean>((resolve) => (end = resolve))
    const forget = deps.link.wakeBy(kid, { wake: () => end(true), drop: () => end(false) })
    const stop = deps.clock.after(held_ms, () => end(false))
    held.add(end)
    let is_gone = false
    reply.raw.once('close', () => {
      is_gone = !reply.raw.writableFinished
      if (is_gone) forget()
      end(false)
    })
    try {
      return (await look()) || (await ended)
    } catch (error) {
      is_gone = true
      throw error
    } finally {
      stop()
      held.delete(end)
      if (is_gone) forget()
      else deps.clock.after(between_ms, forget)
    }
  }
}
