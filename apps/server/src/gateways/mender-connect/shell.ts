import { Duplex } from 'node:stream'
import type { Source, TunnelParams } from '../shared/tunnel-end.ts'
import { DeviceFault } from '../shared/tunnel-files.ts'
import { piece_bytes, protos } from './messages.ts'
import type { Message } from './messages.ts'
import type { Peer } from './peer.ts'

const has_failed = 2
const proto = protos.terminal
type Size = { columns: number; rows: number }
const sizeOf = ({ columns, rows }: Size) => ({ terminal_width: columns, terminal_height: rows })

/** A shell of the user whom mender-connect has for it. Each has a user of its own, as the agent allows a user one. */
export async function openShell(
  peer: Peer,
  { columns = 80, rows = 24 }: Pick<TunnelParams, 'columns' | 'rows'>,
): Promise<Source> {
  let begun: (message: Message | undefined) => void = () => {}
  const answer = new Promise<Message | undefined>((resolve) => (begun = resolve))
  const session = peer.begin({
    hear(message) {
      const { typ, props, body } = message
      if (typ === 'new') begun(message)
      else if (typ === 'stop') stream.push(null)
      else if (typ === 'shell' && props['status'] === has_failed) stream.destroy(new Error(String(Buffer.from(body))))
      else if (typ === 'shell' && body.length > 0 && !stream.destroyed && !stream.push(body))
        peer.sluice.shut(session.sid)
    },
    lost() {
      begun(undefined)
      stream.destroy()
    },
  })
  const stream = new Duplex({
    read: () => peer.sluice.open(session.sid),
    write(chunk: Buffer, _encoding, done) {
      void (async () => {
        for (let at = 0; at < chunk.length; at += piece_bytes)
          await session.say({ proto, typ: 'shell', body: chunk.subarray(at, at + piece_bytes) })
      })().then(
        () => done(),
        () => stream.destroy(),
      )
    },
    destroy(error, done) {
      session.say({ proto, typ: 'stop' }).catch(() => {})
      session.end()
      peer.sluice.open(session.sid)
      done(error)
    },
  })
  // It may fail before anybody reads it, in the very message behind the answer.
  stream.on('error', () => {})
  const props = { ...sizeOf({ columns, rows }), user_id: session.sid }
  await session.say({ proto, typ: 'new', props })
  const said = await answer
  const refused = said?.props['status'] === has_failed ? String(Buffer.from(said.body)) : undefined
  if (refused === undefined && !stream.destroyed)
    return {
      stream,
      take: (note) =>
        'resize' in note && void session.say({ proto, typ: 'resize', props: sizeOf(note.resize) }).catch(() => {}),
    }
  stream.destroy()
  throw new DeviceFault('no_source', refused ?? stream.errored?.message ?? 'mender-connect has gone')
}
