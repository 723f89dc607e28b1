import { useEffect, useEffectEvent } from 'react'
import { api, useCall } from '../../core/api.ts'
import { notify } from '../../core/notices.ts'
import { CommandDialog } from '../../shared/device/commands.tsx'
import { CancelDialog, MoveDrawer, RenameDrawer, ScrapDialog } from '../../shared/device/device-dialogs.tsx'
import type { Match } from '../../shared/device/WhichDevices.tsx'
import type { Wanted } from './actions.tsx'
import { LabelsDrawer } from './fields/LabelsDrawer.tsx'

type DialogProps = { wanted: Wanted; onClose: () => void; onDone: () => void }
/** The drawer or dialog of what was asked for. */
export function WantedDialog({ wanted, onClose, onDone }: DialogProps) {
  const { what, targets, is_bulk } = wanted
  const done = is_bulk ? onDone : undefined
  const [first] = targets
  if (wanted.match) return <MatchDialog wanted={wanted} match={wanted.match} onClose={onClose} onDone={onDone} />
  if (!first) return null
  if (what === 'labels') return <LabelsDrawer targets={targets} onClose={onClose} onDone={done} />
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
  if (what === 'scrap') return <ScrapDialog targets={targets} onClose={onClose} onDone={onDone} />
  return <CommandDialog command={what} targets={targets} onClose={onClose} onSent={done} />
}

/** Counts first: what is confirmed is a number, and the server holds it against what it finds then. */
function MatchDialog({ wanted: { what }, match, onClose, onDone }: DialogProps & { match: Match }) {
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
  if (what === 'move') return <MoveDrawer {...given} />
  if (what === 'labels') return <LabelsDrawer {...given} />
  return what === 'scrap' ? <ScrapDialog {...given} /> : <CancelDialog {...given} />
}
