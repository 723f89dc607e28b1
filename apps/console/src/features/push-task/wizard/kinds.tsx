import { holds, pushKinds, pushableTypes } from '@mdm/contract'
import type { PushableType } from '@mdm/contract'
import { useSession } from '../../../core/session.tsx'
import { asTyped, commandForms } from '../../../shared/device/commands/forms.tsx'
import type { PushForm } from '../../../shared/device/commands/forms.tsx'
import { ConfigFileFields } from './ConfigFileFields.tsx'
import { AppInstallFields, AppUninstallFields } from './AppFields.tsx'
import { FileFields, first_path } from './FileFields.tsx'
import { OsFields } from './OsFields.tsx'

/** Every kind in the wizard. A new one is its row here, or one of `commandForms`. */
const kinds: { [T in PushableType]: PushForm<T> } = {
  ...commandForms,
  file: {
    Fields: FileFields,
    initial: { file_kids: [], path: first_path },
    payload: asTyped,
    conditions: ['network', 'download_prompt', 'install_prompt', 'window', 'restart_after'],
    depends_on_content: true,
  },
  config_file: {
    Fields: ConfigFileFields,
    initial: { config_file_kid: undefined },
    payload: asTyped,
    conditions: ['network', 'install_prompt', 'window', 'restart_after'],
    depends_on_content: true,
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
  screenshot: { initial: {}, payload: () => ({}), conditions: ['window'] },
  os: {
    Fields: OsFields,
    initial: {},
    payload: asTyped,
    conditions: ['network', 'download_prompt', 'battery', 'install_prompt', 'window'],
    depends_on_content: true,
  },
}
export const kindOf = (type: PushableType): PushForm<PushableType> => kinds[type] as PushForm<PushableType>

/** The kinds that the person may push, in the order of the contract. */
export function usePermittedKinds(): PushableType[] {
  const { permissions } = useSession()
  return pushableTypes.filter((type) => holds(permissions, pushKinds[type].needs))
}
