import type { PushTaskType } from '@mdm/contract'
import { config_file } from './config-file.ts'
import { configuration } from './configuration.ts'
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

const kinds: { [T in PushTaskType]: Kind<T> } = {
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
  configuration,
}

/** Erases the payload's type: the contract has parsed it as that of its type. */
export const kindOf = (type: PushTaskType): Kind<PushTaskType> => kinds[type] as Kind<PushTaskType>

export const configurationKinds = (Object.keys(kinds) as PushTaskType[]).filter((type) => kindOf(type).is_configuration)

export const forgetful = Object.entries(kinds as Record<string, Kind<PushTaskType>>).flatMap(([type, { forgets }]) =>
  forgets ? [{ type: type as PushTaskType, ...forgets }] : [],
)
