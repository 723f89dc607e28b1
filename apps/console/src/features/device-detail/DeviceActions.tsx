import { DownOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import type { MenuProps } from 'antd'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { holds, pushKinds } from '@mdm/contract'
import type { PushableType, TerminalDetail } from '@mdm/contract'
import { useSession } from '../../core/session.tsx'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { isCommand } from '../../shared/device/commands/names.ts'
import { useInability } from '../../shared/device/inability.ts'
import { DisabledReason } from '../../ui/dialog/DisabledReason.tsx'
import { DropMenu } from '../../ui/dialog/DropMenu.tsx'
import { menuLabel } from '../../ui/dialog/menu-label.tsx'
import { appPushAddress, osPushAddress, wizardAddress } from '../push-task/public.ts'
import { actionGroups, groupNames, keyOf } from './device-actions.ts'
import type { Entry } from './device-actions.ts'
import { deviceDialogs } from './dialogs.ts'
import type { DeviceDialog } from './dialogs.ts'

/** What is wanted most when a device is looked at: two buttons beside the menu. */
const first = [{ push: 'find' }, { dialog: 'lost' }] as const satisfies readonly Entry[]

type Props = { device: TerminalDetail; onOpen: (kind: DeviceDialog) => void }
/** What its agent cannot do, and what the person may not do, is dimmed with the reason. */
export function DeviceActions({ device, onOpen }: Props) {
  const { t } = useTranslation('device-detail')
  const textOf = useTextOf()
  const inability = useInability()
  const navigate = useNavigate()
  const { permissions } = useSession()
  const needsOf = (entry: Entry): string =>
    'push' in entry ? pushKinds[entry.push].needs : deviceDialogs[entry.dialog]
  const isMay = (entry: Entry) => holds(permissions, needsOf(entry))
  const becauseOf = (entry: Entry): string | undefined => {
    if (!isMay(entry)) return t('actions.no_permission')
    if ('push' in entry) return inability([device], entry.push)
    if (entry.dialog === 'renew' && device.renewal_asked_at) return t('secret.waits')
    return undefined
  }
  const labelOf = (entry: Entry): string => {
    if ('push' in entry) return textOf(pushKinds[entry.push].action)
    if (entry.dialog === 'lost' && device.lost_at) return t('lost.edit')
    return t(`actions.${entry.dialog}`)
  }
  const choose = (entry: Entry) => {
    if ('dialog' in entry) return onOpen(entry.dialog)
    if (isCommand(entry.push)) return onOpen(entry.push)
    void navigate(addressOf(entry.push, device))
  }
  const entries = groupNames.flatMap((group) => [...actionGroups[group]] as Entry[])
  if (!entries.some(isMay)) return null
  const items: MenuProps['items'] = groupNames.map((group) => ({
    type: 'group',
    key: `group ${group}`,
    label: t(`actions.group.${group}`),
    children: (actionGroups[group] as readonly Entry[]).map((entry) => ({
      key: keyOf(entry),
      danger: group === 'danger' && becauseOf(entry) === undefined,
      ...menuLabel(labelOf(entry), becauseOf(entry)),
    })),
  }))
  return (
    <>
      {first.filter(isMay).map((entry) => (
        <DisabledReason key={keyOf(entry)} disabled_reason={becauseOf(entry)}>
          <Button onClick={() => choose(entry)}>{labelOf(entry)}</Button>
        </DisabledReason>
      ))}
      <DropMenu
        placement="bottomRight"
        classNames={{ root: 'device-actions' }}
        menu={{ items, onClick: ({ key }) => choose(entries.find((entry) => keyOf(entry) === key)!) }}
      >
        <Button icon={<DownOutlined aria-hidden />} iconPlacement="end">
          {t('actions.button')}
        </Button>
      </DropMenu>
    </>
  )
}

/** Kinds that are chosen with their content have a page, which knows the device then. */
function addressOf(type: PushableType, device: TerminalDetail): string {
  const devices = [device]
  if (type === 'os') return osPushAddress({ devices })
  if (type === 'app_install') return appPushAddress({ devices })
  return wizardAddress({ type, devices })
}
