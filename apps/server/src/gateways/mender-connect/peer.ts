import { newKid } from '../../lib/ids.ts'
import { sluiceOf } from '../../link/tunnels/carry.ts'
import type { Sluice } from '../../link/tunnels/carry.ts'
import { openInbox } from '../shared/inbox.ts'
import { DeviceFault } from '../shared/tunnel-files.ts'
import type { Line } from '../shared/wake-sockets.ts'
import { protos, readMessage, writeMessage } from './messages.ts'
import type { Message, Said } from './messages.ts'

type Listener = { hear(message: Message): void; lost(): void }
/** One of the things that are done over a connection at the same time. */
type Session = {
  sid: string
  /** Resolves once the agent can be told more. */
  say(message: Omit<Said, 'sid'>): Promise<void>
  end(): void
}
export type Peer = ReturnType<typeof openPeer>

const waiting_max = 64

/** mender-connect at the other end of a socket. What is no message of its protocol ends the connection. */
export function openPeer(line: Line, patience: (late: () => void) => () => void) {
  const { ws } = line
  const sessions = new Map<string, Listener>()
  const sluice: Sluice = sluiceOf(ws)

  const say = (message: Said): Promise<void> =>
    new Promise((resolve, reject) => ws.send(writeMessage(message), (error) => (error ? reject(gone()) : resolve())))
  const answer = (message: Said) => void say(message).catch(() => {})

  ws.on('message', (data) => {
    const message = readMessage(data as Buffer)
    if (!message) return ws.terminate()
    const { proto, typ, sid } = message
    // Who leaves it without an answer is taken for gone.
    const is_ping = typ === 'ping' && (proto === protos.control || proto === protos.terminal)
    if (is_ping) return sessions.has(sid) ? answer({ proto, typ: 'pong', sid }) : undefined
    sessions.get(sid)?.hear(message)
  })
  ws.on('close', () => {
    for (const { lost } of sessions.values()) lost()
    sessions.clear()
  })

  return {
    line,
    sluice,
    begin(listener: Listener): Session {
      if (ws.readyState !== ws.OPEN) throw gone()
      const sid = newKid()
      sessions.set(sid, listener)
      return { sid, say: (message) => say({ ...message, sid }), end: () => void sessions.delete(sid) }
    },
    /** A session in which one waits for what the agent says next, and which it is told the end of. */
    talk() {
      const { put, fail, next } = openInbox<Message>(patience, silent)
      const hear = (message: Message) => {
        if (put(message) > waiting_max) ws.terminate()
      }
      const session = this.begin({ hear, lost: () => fail(gone()) })
      const end = () => {
        answer({ proto: protos.control, typ: 'close', sid: session.sid })
        session.end()
      }
      return { ...session, next, end }
    },
  }
}

const silent = () => new DeviceFault('no_answer', 'mender-connect does not answer')
const gone = () => new DeviceFault('no_source', 'mender-connect has gone')
