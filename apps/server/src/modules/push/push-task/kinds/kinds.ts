import type { PushTaskType } from '@mdm/contract'
import { config_file } from './config-file.ts'
import { app_install } from './app-install.ts'
import { app_uninstall } from './app-uninstall.ts'
import { factory_reset } from './factory-reset.ts'
import { file } from './file.ts'
import { find } from './find.ts'
import type { Kind } from './kind.ts'
import { lock } from './lock.ts'
import { message } from './message.ts'
import { os } from './os.ts'
import { remote_log } from './remote-log.ts'
import { restart } from './restart.ts'
import { screenshot } from './screenshot.ts'
import { shutdown } from './shutdown.ts'

/** The module that makes pushes of such a kind knows what they do (`provideKind`), and stands above this one. */
type Provided = 'configuration'

const kinds: { [T in Exclude<PushTaskType, Provided>]: Kind<T> } & { [T in Provided]?: Kind<T> } = {
  message,
  file,
  config_file,
  app_install,
  app_uninstall,
  lock,
  find,
  restart,
  shutdown,
  factory_reset,
  screenshot,
  remote_log,
  os,
}

export function provideKind<T extends Provided>(type: T, kind: Kind<T>): void {
  kinds[type] = kind
}

/** Erases the payload's type: the contract has parsed it as that of its type. */
export function kindOf(type: PushTaskType): Kind<PushTaskType> {
  const kind = kinds[type]
  if (!kind) throw new Error(`nobody has said what a push of the kind ${type} does`)
  return kind as Kind<PushTaskType>
}

/** Kinds of which no device is told as of a task. */
export const otherwiseDelivered = (): PushTaskType[] =>
  (Object.keys(kinds) as PushTaskType[]).filter((type) => kindOf(type).deliver)

export const forgetful = Object.entries(kinds as Record<string, Kind<PushTaskType>>).flatMap(([type, { forgets }]) =>
  forgets ? [{ type: type as PushTaskType, ...forgets }] : [],
)
