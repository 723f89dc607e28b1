import { pushKindOf, subjectOfPayload } from '@mdm/contract'
import type { PushSubject, PushTaskType } from '@mdm/contract'
import { config_file } from './config-file.ts'
import { app_install } from './app-install.ts'
import { app_uninstall } from './app-uninstall.ts'
import { file } from './file.ts'
import type { Kind, Stored } from './kind.ts'
import { lock } from './lock.ts'
import { message } from './message.ts'
import { os } from './os.ts'
import { remote_log } from './remote-log.ts'
import { screenshot } from './screenshot.ts'

/** What is said of kinds beyond storing the payload and sending it as it is. Of the others nothing has to be said here. */
const kinds: { [T in PushTaskType]?: Kind<T> } = {
  message,
  file,
  config_file,
  app_install,
  app_uninstall,
  lock,
  screenshot,
  remote_log,
  os,
}
const plain: Kind<PushTaskType> = {}

/** A kind that a module makes which stands above this one, and so knows what it does. */
export function provideKind(type: 'configuration', kind: Kind<'configuration'>): void {
  kinds[type] = kind
}

/** Erases the payload's type: the contract has parsed it as that of its type. */
export function kindOf(type: PushTaskType): Kind<PushTaskType> {
  const kind = kinds[type] as Kind<PushTaskType> | undefined
  if (!kind && pushKindOf(type).is_internal_only) throw new Error(`no module has provided what a push of ${type} does`)
  return kind ?? plain
}

/** What is pushed, by its name. */
export const subjectOfTask = (type: PushTaskType, stored: Stored, summary: string): PushSubject =>
  kindOf(type).subject?.(stored) ?? subjectOfPayload(type, stored, summary)

/** Kinds of which no device is told as of a task. */
export const otherwiseDelivered = (): PushTaskType[] =>
  (Object.keys(kinds) as PushTaskType[]).filter((type) => kindOf(type).deliver)

export const redacting = Object.entries(kinds as Record<string, Kind<PushTaskType>>).flatMap(([type, { redacts }]) =>
  redacts ? [{ type: type as PushTaskType, ...redacts }] : [],
)
