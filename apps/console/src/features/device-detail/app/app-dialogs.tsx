import { Segmented } from 'antd'
import { useTranslation } from 'react-i18next'
import { appPermissionStates } from '@mdm/contract'
import type { AppPermissionState, DeviceApp } from '@mdm/contract'
import { api, useWrite } from '../../../core/api.ts'
import { Drawer } from '../../../ui/dialog/Drawer.tsx'
import { texts as english } from '../files/texts/en.ts'
import { ConfirmWrite } from '../../../ui/dialog/ConfirmWrite.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { visibleName } from '../files/device-names.ts'
import { useDevice } from '../use-device.ts'

type Props = { terminal_kid: string; app: DeviceApp; onClose: () => void }
type Known = keyof (typeof english)['app']['permission']
const isKnown = (name: string): name is Known => Object.hasOwn(english.app.permission, name)

/** What an app may do on the device; each choice takes effect at once. */
export function AppPermissions({ terminal_kid, app, onClose }: Props) {
  const { t } = useTranslation('device-detail/files')
  const set = useWrite(api.terminalApp.set_permission, { done: t('app.set') })
  const name = visibleName(app.title || app.package)
  const word = (permission: string) =>
    isKnown(permission) ? t(`app.permission.${permission}`) : visibleName(permission)
  return (
    <Drawer size={480} title={t('app.permissions_of', { name })} onClose={onClose}>
      <p className="dim">{t('app.set_hint')}</p>
      {set.error && <Failure error={set.error} is_line />}
      <ul className="device-app-permissions">
        {app.permissions.map((permission) => (
          <li key={permission.name}>
            <bdi>{word(permission.name)}</bdi>
            <Segmented<AppPermissionState>
              aria-label={word(permission.name)}
              value={permission.state}
              disabled={set.isPending}
              options={appPermissionStates.map((value) => ({ value, label: t(`app.state.${value}`) }))}
              onChange={(state) =>
                set.mutate({ terminal_kid, package: app.package, permission: permission.name, state })
              }
            />
          </li>
        ))}
      </ul>
    </Drawer>
  )
}

export function UninstallApp({ terminal_kid, app, onClose }: Props) {
  const { t } = useTranslation('device-detail/files')
  const { device } = useDevice()
  const name = visibleName(app.title || app.package)
  return (
    <ConfirmWrite
      call={api.terminalApp.uninstall}
      input={{ terminal_kid, package: app.package }}
      done={t('app.uninstalled')}
      title={t('app.uninstall_title', { name })}
      submit={t('app.uninstall')}
      word="DELETE"
      onClose={onClose}
    >
      <p>{t('app.uninstall_what', { device: device?.name || device?.sn || '' })}</p>
    </ConfirmWrite>
  )
}
