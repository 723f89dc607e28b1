import { rmSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { createConnection, createServer } from 'node:net'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import type { LocalAnswer } from './api-calls.ts'

const line_bytes = 8_192
const connections_max = 16
const idle_ms = 10_000

/** Where the agent takes calls of apps: a socket in its folder, which only its own user may open. */
export const callSocketOf = (data: string): string => join(data, 'call.sock')

/** Takes calls, a line of JSON each, and answers each with one. Resolves with what closes it. */
export async function openCallSocket(
  path: string,
  call: (json: unknown) => Promise<LocalAnswer>,
): Promise<() => Promise<void>> {
  // Left by a process that was killed.
  rmSync(path, { force: true })
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    if (sockets.size >= connections_max) return void socket.destroy()
    sockets.add(socket)
    socket.setEncoding('utf8').setTimeout(idle_ms, () => socket.destroy())
    let rest = ''
    let answering = Promise.resolve()
    const answer = async (line: string) => {
      const said: LocalAnswer = await call(jsonOf(line)).catch((error: Error) => ({
        ok: false,
        code: 'failed',
        message: error.message,
      }))
      socket.write(`${JSON.stringify(said)}\n`)
    }
    socket.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop()!
      if (rest.length > line_bytes || lines.some((line) => line.length > line_bytes)) return void socket.destroy()
      for (const line of lines) answering = answering.then(() => answer(line))
    })
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve))
  await chmod(path, 0o600)
  return async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
}

const jsonOf = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** Makes one call at the socket of a running agent. */
export function callAgent(path: string, call: object): Promise<LocalAnswer> {
  return new Promise((resolve, reject) => {
    let said = ''
    const socket = createConnection(path, () => socket.write(`${JSON.stringify(call)}\n`))
    socket.setEncoding('utf8').setTimeout(idle_ms, () => socket.destroy(new Error('The agent does not answer')))
    socket.on('error', reject)
    socket.on('data', (chunk: string) => {
      said += chunk
      if (!said.includes('\n')) return
      resolve(JSON.parse(said) as LocalAnswer)
      socket.end()
    })
    socket.on('close', () => reject(new Error('The agent has closed the connection')))
  })
}
