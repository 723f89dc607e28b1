import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { Answer, line_max } from './asks.ts'
import type { Answers, Ask } from './asks.ts'
import { OperatorFault } from './fault.ts'
import { lines } from './lines.ts'
import { socketPath } from './local-socket.ts'

export type RunningHere = {
  ask<A extends Ask>(ask: A): Promise<Answers[A['ask']]>
  close(): void
}

/** The server that runs on this data folder; undefined when none does. */
export async function runningServer(data: string): Promise<RunningHere | undefined> {
  const path = socketPath(data)
  const socket = await new Promise<Socket | undefined>((done, failed) => {
    const opened = connect(path)
    opened.once('connect', () => done(opened))
    opened.once('error', (error: NodeJS.ErrnoException) => {
      if (['ENOENT', 'ECONNREFUSED', 'ENOTDIR', 'EINVAL'].includes(error.code ?? '')) done(undefined)
      else failed(new OperatorFault(`The server at ${path} cannot be asked (${error.code}): run this as its user.`))
    })
  })
  if (!socket) return undefined
  socket.on('error', () => {})
  const answers = lines(socket, line_max)
  return {
    async ask<A extends Ask>(ask: A): Promise<Answers[A['ask']]> {
      socket.write(`${JSON.stringify(ask)}\n`)
      const { value, done } = await answers.next()
      if (done) throw new OperatorFault('The server ended the connection: look into its log.')
      const said = Answer.parse(JSON.parse(value))
      if ('fault' in said) throw new OperatorFault(said.fault)
      // Both ends are of one release: the server's own types say what it answers.
      return said.answer as Answers[A['ask']]
    },
    close: () => socket.destroy(),
  }
}
