import { useEffect, useEffectEvent } from 'react'
import { api, useCall } from '../../core/api.ts'
import { notify } from '../../core/notices.ts'
import { CommandDialog } from '../../shared/device/commands/CommandDialog.tsx'
import { CancelDialog, MoveDrawer, RenameDrawer, ScrapDialog } from '../../shared/device/device-dialogs.tsx'
import type { Match } from '../../shared/device/WhichDevices.tsx'
import type { BulkDialog, DeviceDialogKind } from './actions.tsx'
import { LabelsDrawer } from './fields/LabelsDrawer.tsx'

type DialogProps = {
  dialog: BulkDialog
  /** Whether the devices were selected, or it is the one of a row. */
  is_bulk: boolean
  onClose: () => void
  onDone: () => void
}
/** The drawer or dialog in which something is done with one device or several. */
export function DeviceDialog({ dialog, is_bulk, onClose, onDone }: DialogProps) {
  const { kind, targets } = dialog
  const done = is_bulk ? onDone : undefined
  const [first] = targets
  if (dialog.match) return <MatchDialog kind={kind} match={dialog.match} onClose={onClose} onDone={onDone} />
  if (!first) return null
  if (kind === 'labels') return <LabelsDrawer targets={targets} onClose={onClose} onDone={done} />
  if (kind === 'rename') return <RenameDrawer device={first} onClose={onClose} />
  if (kind === 'move') {
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
  if (kind === 'cancel') return <CancelDialog targets={targets} onClose={onClose} onDone={onDone} />
  if (kind === 'scrap') return <ScrapDialog targets={targets} onClose={onClose} onDone={onDone} />
  return <CommandDialog command={kind} targets={targets} onClose={onClose} onSent={done} />
}

type MatchProps = { kind: DeviceDialogKind; match: Match; onClose: () => void; onDone: () => void }
/** Counts first: what is confirmed is a number, and the server holds it against what it finds then. */
function MatchDialog({ kind, match, onClose, onDone }: MatchProps) {
  const query = useCall(api.terminal.count, { match }, { fresh: true })
  const { error } = query
  const close = useEffectEvent(onClose)
  useEffect(() => {
    if (!error) return
    notify.fail(error)
    close()
  }, [error])
  if (!query.data) return null
  const given = { targets: [], matching: { match, count: query.data.count }, onClose, onDone }
  if (kind === 'move') return <MoveDrawer {...given} />
  if (kind === 'labels') return <LabelsDrawer {...given} />
  return kind === 'scrap' ? <ScrapDialog {...given} /> : <CancelDialog {...given} />
}
