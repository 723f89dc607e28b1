import { useNavigate } from 'react-router'
import type { TerminalDetail } from '@mdm/contract'
import { link } from '../../core/links.ts'
import { CommandDialog } from '../../shared/device/commands/CommandDialog.tsx'
import { CancelDialog, MoveDrawer, RenameDrawer, ScrapDialog } from '../../shared/device/device-dialogs.tsx'
import { NoteDrawer } from './info/NotePart.tsx'
import { RenewDialog } from './info/RenewSecret.tsx'
import { FoundDialog, LostDrawer, WipeDialog } from './lost/lost-dialogs.tsx'
import type { DeviceDialog } from './dialogs.ts'

type Props = { kind: DeviceDialog; device: TerminalDetail; onClose: () => void }
/** The drawer or dialog that stands open over the page of a device. */
export function DeviceDialogs({ kind, device, onClose }: Props) {
  const navigate = useNavigate()
  const targets = [device]
  // Its page has nothing to show any more, unless it waits for its time.
  const leave = () => void navigate(link.deviceList.to(), { replace: true })
  switch (kind) {
    case 'rename':
      return <RenameDrawer device={device} onClose={onClose} />
    case 'note':
      return <NoteDrawer device={device} onClose={onClose} />
    case 'renew':
      return <RenewDialog device={device} onClose={onClose} />
    case 'move':
      return <MoveDrawer targets={targets} from={device.terminal_group_kid} onClose={onClose} />
    case 'lost':
      return <LostDrawer device={device} onClose={onClose} />
    case 'found':
      return <FoundDialog device={device} onClose={onClose} />
    case 'wipe':
      return <WipeDialog device={device} onClose={onClose} />
    case 'cancel':
      return <CancelDialog targets={targets} onClose={onClose} onDone={leave} />
    case 'scrap':
      return <ScrapDialog targets={targets} onClose={onClose} onDone={leave} />
    default:
      return <CommandDialog command={kind} targets={targets} onClose={onClose} />
  }
}
