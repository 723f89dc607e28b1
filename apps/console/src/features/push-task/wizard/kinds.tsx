import type { ReactNode } from 'react'
import { holds, pushKinds, pushableTypes } from '@mdm/contract'
import type { PushPayload, PushableType } from '@mdm/contract'
import { useSession } from '../../../core/session.tsx'
import { commandForms } from '../../../shared/device/commands/forms.tsx'
import type { FieldsProps } from '../../../shared/device/commands/forms.tsx'
import { ConfigFileFields } from './ConfigFileFields.tsx'
import { AppInstallFields, AppUninstallFields } from './AppFields.tsx'
import { FileFields, first_path } from './FileFields.tsx'
import { OsFields } from './OsFields.tsx'

/** What can be asked of the device before and after it does the work. */
export type ConditionPart =
  'network' | 'download_prompt' | 'battery' | 'install_prompt' | 'window' | 'restart_after' | 'start_after'

type Kind<T extends PushableType> = {
  /** What a person says of the work, as fields of a form; without it there is nothing to say. */
  Fields?: (props: FieldsProps) => ReactNode
  /** Of the form. */
  initial: object
  /** Of the values of the form. */
  payload: (values: any) => PushPayload<T>
  /** Only those that make a difference to the kind. */
  conditions: readonly ConditionPart[]
  /** Which devices get it depends on what is pushed, too. */
  depends_on_content?: true
  /** Has to be typed before the push is made. */
  confirm_word?: 'DELETE'
}

const asTyped = <V,>(values: V): V => values

/** Every kind in the wizard. A new one is its row here. */
const kinds: { [T in PushableType]: Kind<T> } = {
  message: { ...commandForms.message, conditions: ['window'] },
  file: {
    Fields: FileFields,
    initial: { file_kids: [], path: first_path },
    payload: asTyped,
    conditions: ['network', 'download_prompt', 'install_prompt', 'window', 'restart_after'],
  },
  config_file: {
    Fields: ConfigFileFields,
    initial: { config_file_kid: undefined },
    payload: asTyped,
    conditions: ['network', 'install_prompt', 'window', 'restart_after'],
  },
  app_install: {
    Fields: AppInstallFields,
    initial: { apps: [], may_downgrade: false },
    payload: asTyped,
    conditions: ['network', 'download_prompt', 'install_prompt', 'window', 'start_after', 'restart_after'],
    depends_on_content: true,
  },
  app_uninstall: {
    Fields: AppUninstallFields,
    initial: { packages: [] },
    payload: asTyped,
    conditions: ['install_prompt', 'window', 'restart_after'],
    depends_on_content: true,
  },
  lock: { ...commandForms.lock, conditions: ['window'] },
  find: { ...commandForms.find, conditions: ['window'] },
  restart: { ...commandForms.restart, conditions: ['window', 'install_prompt'] },
  shutdown: { ...commandForms.shutdown, conditions: ['window', 'install_prompt'] },
  factory_reset: { ...commandForms.factory_reset, conditions: ['window', 'install_prompt'] },
  screenshot: { initial: {}, payload: () => ({}), conditions: ['window'] },
  remote_log: { ...commandForms.remote_log, conditions: ['window'] },
  os: {
    Fields: OsFields,
    initial: {},
    payload: asTyped,
    conditions: ['network', 'download_prompt', 'battery', 'install_prompt', 'window'],
    depends_on_content: true,
  },
}
export const kindOf = (type: PushableType): Kind<PushableType> => kinds[type] as Kind<PushableType>

/** The kinds that the person may push, in the order of the contract. */
export function usePermittedKinds(): PushableType[] {
  const { permissions } = useSession()
  return pushableTypes.filter((type) => holds(permissions, pushKinds[type].needs))
}
