import { config_file } from './config-file.ts'
import { app_install } from './app-install.ts'
import { app_uninstall } from './app-uninstall.ts'
import { factory_reset } from './factory-reset.ts'
import { file } from './file.ts'
import { find } from './find.ts'
import type { TaskKind, TaskType } from './kind.ts'
import { lock } from './lock.ts'
import { message } from './message.ts'
import { os } from './os.ts'
import { remote_log } from './remote-log.ts'
import { restart } from './restart.ts'
import { screenshot } from './screenshot.ts'
import { shutdown } from './shutdown.ts'

const kinds: { [T in TaskType]: TaskKind<T> } = {
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

/** Erases the payload's type: the task was parsed as a whole, so its payload is the one its type asks for. */
export const kindOf = (type: TaskType): TaskKind<TaskType> => kinds[type] as unknown as TaskKind<TaskType>
export const isTaskType = (type: string): type is TaskType => Object.hasOwn(kinds, type)
