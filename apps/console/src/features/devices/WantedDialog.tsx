import { CommandDialog } from '../../pickers/commands.tsx'
import { CancelDialog, MoveDrawer, RenameDrawer } from '../../pickers/device-dialogs.tsx'
import type { Wanted } from './actions.tsx'

type DialogProps = { wanted: Wanted; onClose: () => void; onDone: () => void }
/** The drawer or dialog of what was asked for. */
export function WantedDialog({ wanted, onClose, onDone }: DialogProps) {
  const { what, targets, is_bulk } = wanted
  const done = is_bulk ? onDone : undefined
  const [first] = targets
  if (!first) return null
  if (what === 'rename') return <RenameDrawer device={first} onClose={onClose} />
  if (what === 'move') {
    return (
      <MoveDrawer
        targets={targets}
        from={is_bulk ? undefined : first.terminal_group_kid}
        onClose={onClose}
        onDone={done}
      />
    )
  }
  // A cancelled device cannot stay selected, however it was cancelled.
  if (what === 'cancel') return <CancelDialog targets={targets} onClose={onClose} onDone={onDone} />
  return <CommandDialog command={what} targets={targets} onClose={onClose} onSent={done} />
}
