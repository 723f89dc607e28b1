/** What a browser has to know of tunnels. Entered by this file alone, so that only the pages that open one load it. */
export { ticketProtocol, tunnel_protocol, tunnelCloses, ViewerNote } from '@mdm/device-link/tunnel.ts'
export type { TunnelClose, TunnelNote } from '@mdm/device-link/tunnel.ts'
export {
  changesFiles,
  file_frame_bytes,
  FileAnswer,
  fileFrame,
  fileFrames,
  noteOfFrame,
} from '@mdm/device-link/tunnel-files.ts'
export type { FileQuestion } from '@mdm/device-link/tunnel-files.ts'
