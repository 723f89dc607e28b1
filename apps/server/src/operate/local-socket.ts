import { chmod, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { Ask, line_max, path_max } from './asks.ts'
import type { Answers } from './asks.ts'
import { lines } from './lines.ts'

/** What one connection may ask; `left` ends what it has begun. */
export type Dialogue = {
  answer<A extends Ask>(ask: A): Promise<Answers[A['ask']]>
  left(): Promise<void>
  /** The command is gone, while something that it asked for may be under way. */
  gone?(): void
}
export const socketPath = (data: string): string => join(data, 'server.sock')

/**
 * Listens for the `mdm` command in the data folder, which is the server's own: its owner and root reach it, and nobody over a network.
 */
export async function listenLocally(
  { data, log }: { data: string; log: { warn(fields: object, message: string): void } },
  begin: () => Dialogue,
): Promise<{ close(): Promise<void> }> {
  const path = socketPath(data)
  if (Buffer.byteLength(path) > path_max) {
    log.warn({ path }, 'the path of MDM_DATA is too long for a socket: mdm backup needs the server to be stopped')
    return { close: async () => {} }
  }
  const sockets = new Set<Socket>()
  const endings = new Set<Promise<void>>()
  const server = createServer((socket) => {
    sockets.add(socket)
    const dialogue = begin()
    socket.on('error', () => {})
    const ended = converse(socket, dialogue)
      .catch((error: unknown) => log.warn({ err: error }, 'the mdm command was not answered'))
      .then(() => dialogue.left())
      .catch((error: unknown) => log.warn({ err: error }, 'what the mdm command began did not end'))
      .finally(() => {
        sockets.delete(socket)
        endings.delete(ended)
        socket.destroy()
      })
    endings.add(ended)
  })
  // One that a crash left; the folder belongs to this server alone by now.
  await rm(path, { force: true })
  await new Promise<void>((listening, failed) => {
    server.once('error', failed)
    server.listen(path, () => listening())
  })
  await chmod(path, 0o600)
  return {
    async close() {
      const closed = new Promise<void>((done) => server.close(() => done()))
      for (const socket of sockets) socket.destroy()
      await Promise.all(endings)
      await closed
    },
  }
}

async function converse(socket: Socket, dialogue: Dialogue): Promise<void> {
  const asked = lines(socket, line_max)
  const listen = async () => {
    const next = await asked.next()
    if (next.done) dialogue.gone?.()
    return next
  }
  for (let next = listen(); ;) {
    const { value, done } = await next
    if (done) return
    // Listens on while it answers: only so is it known that nobody waits for the answer any more.
    next = listen()
    next.catch(() => dialogue.gone?.())
    const said = await answerTo(value, dialogue)
    if (!socket.write(`${JSON.stringify(said)}\n`) && socket.destroyed) return
  }
}

async function answerTo(line: string, dialogue: Dialogue): Promise<{ answer: unknown } | { fault: string }> {
  try {
    return { answer: await dialogue.answer(Ask.parse(JSON.parse(line))) }
  } catch (error) {
    return { fault: (error as Error).message }
  }
}
