import { DownOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import type { MenuProps } from 'antd'
import { useTranslation } from 'react-i18next'
import { holds, pushKinds } from '@mdm/contract'
import type { PushableType } from '@mdm/contract'
import { DropMenu } from '../../../ui/dialog/DropMenu.tsx'
import { menuLabel } from '../../../ui/dialog/menu-label.tsx'
import { useSession } from '../../../core/session.tsx'
import { useTextOf } from '../../../i18n/use-text-of.ts'
import { useInability } from '../inability.ts'
import type { Able } from '../inability.ts'
import { isCommand, pushMenu } from './names.ts'
import type { Command } from './names.ts'

/** Whether the person may push anything at all. */
export function useMayPush(): boolean {
  const { permissions } = useSession()
  return pushMenu.some((kind) => holds(permissions, pushKinds[kind].needs))
}

const more = 'more'
/** The kinds that the person may push, as items of a menu, and last the wizard with everything. Empty: none. */
export function usePushItems(prefix = '', devices: readonly Able[] = []): NonNullable<MenuProps['items']> {
  const { t } = useTranslation('device')
  const inability = useInability()
  const textOf = useTextOf()
  const { permissions } = useSession()
  const kinds = pushMenu.filter((kind) => holds(permissions, pushKinds[kind].needs))
  if (kinds.length === 0) return []
  return [
    ...kinds.map((kind) => {
      const disabled_reason = inability(devices, kind)
      return { key: prefix + kind, ...menuLabel(textOf(pushKinds[kind].action), disabled_reason) }
    }),
    { type: 'divider', key: `${prefix}line` },
    { key: prefix + more, label: t('push.more') },
  ]
}
/** The kind of an item's key; undefined for the last one. */
export const kindOfItem = (key: string, prefix = ''): PushableType | undefined => {
  const kind = key.slice(prefix.length)
  return kind === more ? undefined : (kind as PushableType)
}

type Props = {
  /** What none of them does is dimmed, with the reason. Empty where they are not at hand. */
  devices?: readonly Able[]
  size?: 'small' | 'middle'
  /** The short dialog of a command; without it all leads to the wizard. */
  onOpen?: ((command: Command) => void) | undefined
  onWizard: (type: PushableType | undefined) => void
}
/** What can be pushed to the devices at hand. */
export function PushMenu({ devices = [], size = 'middle', onOpen, onWizard }: Props) {
  const { t } = useTranslation('device')
  const items = usePushItems('', devices)
  if (items.length === 0) return null
  const select = (kind: PushableType | undefined) => (kind && onOpen && isCommand(kind) ? onOpen(kind) : onWizard(kind))
  return (
    <DropMenu menu={{ items, onClick: ({ key }) => select(kindOfItem(key)) }}>
      <Button size={size} icon={<DownOutlined aria-hidden />} iconPlacement="end">
        {t('push.button')}
      </Button>
    </DropMenu>
  )
}
