import type { Duplex } from 'node:stream'
import type { ParamsOf, TunnelNote } from '@mdm/device-link'
import type { Clock } from '../clock.ts'
import type { Journal } from '../journal.ts'

export type TunnelParams = ParamsOf<'tunnel_open'>
export type TunnelKind = TunnelParams['kind']
/** Files are the body's own, the same for all that is opened from afar. */
type BodyKind = Exclude<TunnelKind, 'files'>

/** What a tunnel carries: destroyed when the tunnel ends, and its end is the tunnel's. */
export type RemoteSource = {
  stream: Duplex
  /** What the viewer wishes beside the bytes; a wish that makes no sense here is left alone. */
  take?(note: TunnelNote): void
}

/** What people may open of a device from afar. */
export type RemoteBody = {
  readonly kinds: readonly BodyKind[]
  /** Throws TaskFailure: asleep, permission_missing, no_source, not_supported. */
  open(
    params: TunnelParams & { kind: BodyKind },
    parts: { clock: Clock; journal: Journal; signal: AbortSignal },
  ): Promise<RemoteSource>
  /** Shows at the device who looks; nobody any more when the list is empty. */
  show_viewers(names: readonly string[]): Promise<void>
}

/** What can be opened of a device. */
export const kindsOf = ({ remote }: { remote?: RemoteBody | undefined }): readonly TunnelKind[] =>
  remote ? [...remote.kinds, 'files'] : []
