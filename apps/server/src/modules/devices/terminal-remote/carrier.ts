import { TunnelNote } from '@mdm/device-link'
import type { RemoteKind, RemoteSettings } from '@mdm/contract'
import type { Deps } from '../../../deps.ts'
import type { Sluice } from '../../../link/tunnels/carry.ts'
import type { Carrier } from '../../../link/tunnels/tunnels.ts'
import { filesFilter } from './files-filter.ts'
import { asciicast, fbs, record, resized } from './recorder.ts'
import type { Recorder } from './recorder.ts'
import { rfbFilter } from './rfb-filter.ts'

const note_bytes = 1_024
type Of = { kid: string; account_kid: string; session_kid: string; kind: RemoteKind }
export type RemoteCarrier = Carrier & { setControl(has_control: boolean): void }

/** What the bytes of one viewer go through, on the server where the device's end is. */
export function carrierOf(deps: Deps, of: Of, settings: RemoteSettings, has_control: boolean): RemoteCarrier {
  const { kid, kind, session_kid, account_kid } = of
  const may = { control: has_control, clipboard: settings.clipboard }
  const filter = kind === 'desktop' ? rfbFilter(may) : undefined
  const size = { columns: 80, rows: 24 }
  const recorder = recorderOf()
  const files = kind === 'files' ? filesFilter(may, (line) => recorder?.write(Buffer.from(line), sluice)) : undefined
  /** Of the device, once it has said something: what cannot be recorded is not asked of it. */
  let device_sluice: Sluice | undefined
  const sluice: Sluice = {
    shut: (why) => device_sluice?.shut(why),
    open: (why) => device_sluice?.open(why),
    shutFor: () => device_sluice?.shutFor() ?? 0,
  }

  function recorderOf(): Recorder | undefined {
    const format =
      kind === 'terminal' || kind === 'files'
        ? asciicast(size, Math.floor(deps.clock.now().getTime() / 1000))
        : filter && settings.record_desktop
          ? fbs(filter.said)
          : undefined
    return (
      format &&
      record(deps, { session_kid, account_kid, viewer_kid: kid, most: settings.recording_bytes }, format, (error) => {
        deps.log.warn({ err: error, session_kid }, 'a remote session could not be recorded, and ends')
        deps.memory.tunnels.end(kid, 'failed')
      })
    )
  }

  /** Only what the device knows, as it knows it. */
  function note(data: Buffer): string | undefined {
    if (data.length > note_bytes) throw new Error('a note that is too long')
    const said = TunnelNote.parse(JSON.parse(data.toString()))
    if ('resize' in said) {
      if (kind !== 'terminal') return undefined
      Object.assign(size, said.resize)
      recorder?.note(resized(size.columns, size.rows))
    } else if (kind !== 'desktop' || (!may.control && !('quality' in said))) return undefined
    return JSON.stringify(said)
  }

  return {
    toDevice(data, is_text) {
      if (is_text) return note(data)
      if (filter) return filter.pass(data)
      if (files) return files.pass(data)
      // A log is only read.
      return kind === 'log' ? undefined : data
    },
    fromDevice(data, is_text, device) {
      // A device has nothing to say beside its stream: notes to the browser are the server's.
      if (is_text) return undefined
      device_sluice = device
      // Of files it is recorded which were asked for, not what is in them.
      if (!files) recorder?.write(data, device)
      return data
    },
    ended: async () => recorder?.end(),
    setControl(has_control) {
      if (may.control && !has_control) {
        may.control = false
        const releases = filter?.release()
        if (releases && releases.length > 0) deps.memory.tunnels.toDevice(kid, releases)
      }
      may.control = has_control
    },
  }
}
