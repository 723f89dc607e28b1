import { createCipheriv } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { TaskFailure } from '../body/body.ts'
import { version_line } from './rfb-greeting.ts'

const none = 1
const vnc_authentication = 2
const most_reason_bytes = 1_000

/** Each byte of a VNC password is a DES key with its bits the other way round. */
const mirrored = (byte: number): number =>
  Array.from({ length: 8 }, (_, bit) => ((byte >> bit) & 1) << (7 - bit)).reduce((sum, bit) => sum | bit, 0)

/** The answer to a challenge of 16 bytes. OpenSSL 3 has no single DES any more; three times the same key is that. */
export function vncResponse(challenge: Buffer, password: string): Buffer {
  const key = Buffer.from(Buffer.alloc(8).map((_, at) => mirrored(Buffer.from(password, 'latin1')[at] ?? 0)))
  const cipher = createCipheriv('des-ede3-ecb', Buffer.concat([key, key, key]), null).setAutoPadding(false)
  return Buffer.concat([cipher.update(challenge), cipher.final()])
}

/** So many bytes from a socket, which is left paused behind them. */
async function take(socket: Socket, bytes: number, signal: AbortSignal): Promise<Buffer> {
  for (;;) {
    const chunk = socket.read(bytes) as Buffer | null
    if (chunk) {
      if (chunk.length < bytes) throw new TaskFailure('no_source', 'The VNC server ended the connection')
      return chunk
    }
    if (socket.readableEnded || socket.destroyed)
      throw new TaskFailure('no_source', 'The VNC server ended the connection')
    const over = new AbortController()
    try {
      const either = AbortSignal.any([signal, over.signal])
      await Promise.race(['readable', 'end', 'close'].map(async (event) => once(socket, event, { signal: either })))
    } finally {
      over.abort()
    }
  }
}

/**
 * The viewer's half of the RFB handshake with a VNC server, up to its ClientInit. Throws TaskFailure: `permission_missing` when the
 * server does not let the agent in, `no_source` when it is no VNC server.
 */
export async function vncLogin(socket: Socket, password: string | undefined, signal: AbortSignal): Promise<void> {
  const version = version_line.exec((await take(socket, 12, signal)).toString('latin1'))
  if (!version) throw new TaskFailure('no_source', 'What listens there is no VNC server')
  const minor = Number(version[1]) > 3 ? 8 : Math.min(8, Number(version[2]))
  const spoken = minor >= 8 ? 8 : minor >= 7 ? 7 : 3
  socket.write(`RFB 003.00${spoken}\n`)
  const reason = async () => {
    const length = (await take(socket, 4, signal)).readUInt32BE()
    return (await take(socket, Math.min(length, most_reason_bytes), signal)).toString('utf8')
  }
  const refused = async () => new TaskFailure('permission_missing', `The VNC server refuses: ${await reason()}`)

  const choose = async (): Promise<number> => {
    if (spoken === 3) {
      const type = (await take(socket, 4, signal)).readUInt32BE()
      if (type === 0) throw await refused()
      return type
    }
    const count = (await take(socket, 1, signal))[0]!
    if (count === 0) throw await refused()
    const offered = await take(socket, count, signal)
    const wanted = password === undefined ? [none] : [vnc_authentication, none]
    const type = wanted.find((each) => offered.includes(each))
    if (type === undefined) {
      const missing = offered.includes(vnc_authentication)
        ? 'The VNC server wants a password: --vnc-password-file'
        : `The VNC server offers security types ${[...offered].join(', ')}; the agent speaks none and VNC authentication`
      throw new TaskFailure('permission_missing', missing)
    }
    socket.write(Buffer.from([type]))
    return type
  }
  const type = await choose()
  if (type === vnc_authentication) {
    if (password === undefined)
      throw new TaskFailure('permission_missing', 'The VNC server wants a password: --vnc-password-file')
    socket.write(vncResponse(await take(socket, 16, signal), password))
  } else if (type !== none) throw new TaskFailure('permission_missing', `The VNC server wants security type ${type}`)
  // Where nothing was asked, older versions have nothing to say.
  if (type === none && spoken < 8) return
  if ((await take(socket, 4, signal)).readUInt32BE() === 0) return
  throw spoken >= 8 ? await refused() : new TaskFailure('permission_missing', 'The VNC server refuses the password')
}
