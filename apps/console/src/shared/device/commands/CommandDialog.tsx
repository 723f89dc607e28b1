import { FactoryResetDialog } from './factory-reset.tsx'
import { FindDrawer } from './find.tsx'
import { LockDrawer } from './lock.tsx'
import { MessageDrawer } from './message.tsx'
import type { Command } from './names.ts'
import { RemoteLogDrawer } from './remote-log.tsx'
import { RestartDialog } from './restart.tsx'
import { ShutdownDialog } from './shutdown.tsx'
import type { CommandProps } from './use-command.ts'

const dialogs: Record<Command, (props: CommandProps) => React.ReactNode> = {
  message: MessageDrawer,
  find: FindDrawer,
  lock: LockDrawer,
  remote_log: RemoteLogDrawer,
  restart: RestartDialog,
  shutdown: ShutdownDialog,
  factory_reset: FactoryResetDialog,
}
/** The drawer or dialog of a command. Mount it only while open. */
export function CommandDialog({ command, ...props }: CommandProps & { command: Command }) {
  const Dialog = dialogs[command]
  return <Dialog {...props} />
}
