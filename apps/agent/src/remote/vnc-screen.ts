import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { TunnelNote } from '@mdm/device-link'
import { TaskFailure } from '../body/body.ts'
import { greetViewer } from './rfb-greeting.ts'
import { encoding, encodingsOf, keyStroke, messageType, rfbMessages, setEncodings } from './rfb-messages.ts'
import type { RemoteSource, TunnelParams } from './source.ts'
import { isCounted, withoutText } from './rfb-without-text.ts'
import { vncLogin } from './vnc-login.ts'

export type VncServer = { host: string; port: number; password_file?: string | undefined }

const login_ms = 10_000
/** What a keyboard of X calls them. There is no `power`: a key that may end the machine under its user is none to send blindly. */
const keysyms: Partial<Record<Extract<TunnelNote, { key: string }>['key'], number>> = {
  home: 0x1008ff18,
  back: 0x1008ff26,
  menu: 0xff67,
  volume_up: 0x1008ff13,
  volume_down: 0x1008ff11,
  recents: 0x1008ff7f,
}
/** They bring messages that nobody here could tell apart. */
const not_spoken: readonly number[] = [encoding.general_input, encoding.extended_pointer]

/** The screen of a VNC server, for a viewer that does not have to sign in there: the agent has. */
export async function vncScreen(
  { host, port, password_file }: VncServer,
  { clipboard }: Pick<TunnelParams, 'clipboard'>,
  signal: AbortSignal,
): Promise<RemoteSource> {
  const password = password_file === undefined ? undefined : await passwordIn(password_file)
  const socket = connect({ host, port, noDelay: true })
  const patience = AbortSignal.any([signal, AbortSignal.timeout(login_ms)])
  let failure: Error | undefined
  socket.on('error', (error) => (failure = error))
  try {
    await vncLogin(socket, password, patience)
  } catch (error) {
    socket.destroy()
    signal.throwIfAborted()
    if (failure) throw new TaskFailure('no_source', `VNC server ${host}:${port}: ${failure.message}`)
    if (patience.aborted) throw new TaskFailure('no_source', `VNC server ${host}:${port} says nothing`)
    throw error
  }
  const screen = joinViewer(socket, clipboard)
  return {
    stream: screen.stream,
    take(note) {
      const keysym = 'key' in note ? keysyms[note.key] : undefined
      if (keysym !== undefined) screen.press(keysym)
    },
  }
}

async function passwordIn(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).replace(/\r?\n[^]*$/, '')
  } catch (error) {
    throw new TaskFailure('permission_missing', `The password of the VNC server: ${(error as Error).message}`)
  }
}

function joinViewer(socket: Socket, clipboard: boolean) {
  const cut = rfbMessages()
  const guard = clipboard ? undefined : withoutText()
  let greeting: ReturnType<typeof greetViewer> | undefined
  /** Only whole messages leave, so that a key of the agent's own never stands inside one. */
  const passed = (chunk: Buffer): Buffer =>
    Buffer.concat(
      cut(chunk).flatMap((message) => {
        if (message[0] === messageType.cut_text && guard) return []
        if (message[0] === messageType.set_pixel_format) guard?.setFormat(message.subarray(4, 20))
        if (message[0] !== messageType.set_encodings) return [message]
        const spoken = encodingsOf(message).filter((each) => !not_spoken.includes(each))
        return [setEncodings(guard ? spoken.filter(isCounted) : spoken)]
      }),
    )
  const toServer = (bytes: Buffer, done: (error?: Error) => void) => {
    if (bytes.length === 0 || socket.write(bytes)) done()
    else socket.once('drain', () => done())
  }
  const said = (bytes: Buffer) => {
    try {
      const kept = guard ? guard.pass(bytes) : bytes
      if (kept.length > 0 && !stream.push(kept)) socket.pause()
    } catch (error) {
      stream.destroy(error as Error)
    }
  }
  const stream = new Duplex({
    read: () => void (greeting === undefined && socket.resume()),
    write(chunk: Buffer, _encoding, done) {
      try {
        if (!greeting) return toServer(passed(chunk), done)
        const first = greeting(chunk)
        if (!first) return done()
        greeting = undefined
        const share = Buffer.from([1])
        socket.on('data', said)
        toServer(Buffer.concat([share, passed(first)]), done)
      } catch (error) {
        done(error as Error)
      }
    },
    final: (done) => void socket.end(() => done()),
    destroy(error, done) {
      socket.destroy()
      done(error)
    },
  })
  greeting = greetViewer((bytes) => stream.push(bytes))
  socket.on('error', (error) => stream.destroy(error))
  // 'end' would have to be asked for by reading, which a viewer that does not read holds up.
  socket.on('close', () => stream.push(null))
  socket.on('end', () => stream.push(null))
  return {
    stream,
    press(keysym: number): void {
      if (greeting === undefined && socket.writable) socket.write(keyStroke(keysym))
    },
  }
}
