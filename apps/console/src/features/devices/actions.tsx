import { DownOutlined } from '@ant-design/icons'
import { Button, Dropdown } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { pushPermission } from '@mdm/contract'
import type { Permission, TerminalRow } from '@mdm/contract'
import { commands } from '../../shared/device/command-names.ts'
import type { Command } from '../../shared/device/command-names.ts'
import type { Match } from '../../shared/device/WhichDevices.tsx'
import type { RowAction } from '../../ui/list/RowActions.tsx'
import { DisabledReason } from '../../ui/dialog/DisabledReason.tsx'
import { useCount } from '../../ui/value/format.ts'
import { max_selected } from '../../ui/list/use-list-table.ts'
import { may, useSession } from '../../core/session.tsx'
import { link } from '../../core/links.ts'

/** DeviceDialogKind is done with devices in a dialog, and the permission it needs. */
export const deviceDialogs = {
  ...pushPermission,
  rename: 'deviceList:edit',
  labels: 'deviceList:edit',
  move: 'deviceList:move',
  cancel: 'deviceList:cancel',
  scrap: 'deviceList:cancel',
} as const satisfies Record<string, Permission>
export type DeviceDialogKind = Command | 'rename' | 'labels' | 'move' | 'cancel' | 'scrap'
/** A dialog for the devices that were selected. */
export type BulkDialog = {
  kind: DeviceDialogKind
  targets: readonly TerminalRow[]
  /** Every device that is found by this, instead of targets. */
  match?: Match | undefined
}

export function useDeviceActions(
  open: (kind: DeviceDialogKind, row: TerminalRow) => void,
): (row: TerminalRow) => RowAction[] {
  const { t } = useTranslation('devices')
  return (row) => {
    const action = (kind: DeviceDialogKind, label: string, danger = false): RowAction => ({
      needs: deviceDialogs[kind],
      label,
      danger,
      onSelect: () => open(kind, row),
    })
    return [
      { label: t('action.open'), to: link.deviceDetailInfo.to({ kid: row.kid }) },
      ...(['rename', 'move', ...commands] as const).map((kind) => action(kind, t(`action.${kind}`))),
      action('cancel', t('action.cancel'), true),
      action('scrap', t('action.scrap'), true),
    ]
  }
}

/** Whether the person may do anything at all with several devices: without that, there is nothing to select them for. */
export function useMayAct(): boolean {
  useSession()
  return bulk_actions.some((kind) => may(deviceDialogs[kind]))
}
const bulk_actions = ['move', 'labels', 'message', 'find', 'lock', 'restart', 'cancel', 'scrap'] as const

type BulkProps = {
  targets: () => readonly TerminalRow[]
  match: Match | undefined
  onOpen: (dialog: BulkDialog) => void
}
export function BulkActions({ targets, match, onOpen }: BulkProps) {
  const { t } = useTranslation(['devices', 'device-filters', 'common'])
  const count = useCount()
  useSession()
  const open = (kind: DeviceDialogKind) => onOpen({ kind, targets: match ? [] : targets(), match })
  // A push is a row for each of its devices, named when it is made.
  const only_named = match && t('device-filters:match.only_named', { max: count(max_selected) })
  const labels: Partial<Record<DeviceDialogKind, string>> = {
    cancel: t('action.cancel_many'),
    scrap: t('action.scrap_many'),
    labels: t('device-filters:bulk.action'),
  }
  const button = (kind: DeviceDialogKind, props: { danger?: boolean } = {}): ReactNode =>
    may(deviceDialogs[kind]) && (
      <Button key={kind} size="small" {...props} onClick={() => open(kind)}>
        {labels[kind] ?? t(`action.${kind as Command | 'move'}`)}
      </Button>
    )
  const rest = (['find', 'lock', 'restart'] as const).filter((kind) => may(deviceDialogs[kind]))
  return (
    <>
      {button('move')}
      {button('labels')}
      {may(deviceDialogs.message) && (
        <DisabledReason because={only_named}>
          <Button size="small" onClick={() => open('message')}>
            {t('action.message')}
          </Button>
        </DisabledReason>
      )}
      {rest.length > 0 && !match && (
        <Dropdown
          autoFocus
          trigger={['click']}
          menu={{
            items: rest.map((key) => ({ key, label: t(`action.${key}`) })),
            onClick: ({ key }) => open(key as DeviceDialogKind),
          }}
        >
          <Button size="small" icon={<DownOutlined aria-hidden />} iconPlacement="end">
            {t('common:more_actions')}
          </Button>
        </Dropdown>
      )}
      {button('cancel', { danger: true })}
      {button('scrap', { danger: true })}
    </>
  )
}
