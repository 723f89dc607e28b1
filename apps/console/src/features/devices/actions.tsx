import { DownOutlined } from '@ant-design/icons'
import { Button, Dropdown } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { pushKinds } from '@mdm/contract'
import type { Permission, TerminalRow } from '@mdm/contract'
import { commandNeeds, commands } from '../../shared/device/commands/names.ts'
import { useTextOf } from '../../i18n/use-text-of.ts'
import type { Match } from '../../shared/device/WhichDevices.tsx'
import type { RowAction } from '../../ui/list/RowActions.tsx'
import { DisabledReason } from '../../ui/dialog/DisabledReason.tsx'
import { useCount } from '../../ui/value/format.ts'
import { max_selected } from '../../ui/list/use-list-table.ts'
import { may, useSession } from '../../core/session.tsx'
import { link } from '../../core/links.ts'

/** What is done to devices in a dialog, and the permission that it needs. */
export const deviceDialogs = {
  ...commandNeeds,
  rename: 'deviceList:edit',
  labels: 'deviceList:edit',
  move: 'deviceList:move',
  cancel: 'deviceList:cancel',
  scrap: 'deviceList:cancel',
} as const satisfies Record<string, Permission>
export type DeviceDialogKind = keyof typeof deviceDialogs
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
  const textOf = useTextOf()
  return (row) => {
    const action = (kind: DeviceDialogKind, label: string, danger = false): RowAction => ({
      needs: deviceDialogs[kind],
      label,
      danger,
      onSelect: () => open(kind, row),
    })
    return [
      { label: t('action.open'), to: link.deviceDetailInfo.to({ kid: row.kid }) },
      action('rename', t('action.rename')),
      action('move', t('action.move')),
      ...commands.map((kind) => action(kind, textOf(pushKinds[kind].action))),
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
const bulk_actions = ['move', 'labels', ...commands, 'cancel', 'scrap'] as const
const other_commands = commands.filter((kind) => kind !== 'message')

type BulkProps = {
  targets: () => readonly TerminalRow[]
  match: Match | undefined
  onOpen: (dialog: BulkDialog) => void
}
export function BulkActions({ targets, match, onOpen }: BulkProps) {
  const { t } = useTranslation(['devices', 'device-filters', 'common'])
  const textOf = useTextOf()
  const count = useCount()
  useSession()
  const open = (kind: DeviceDialogKind) => onOpen({ kind, targets: match ? [] : targets(), match })
  // A push is a row for each of its devices, named when it is made.
  const only_named = match && t('device-filters:match.only_named', { max: count(max_selected) })
  const labels = {
    move: t('action.move'),
    cancel: t('action.cancel_many'),
    scrap: t('action.scrap_many'),
    labels: t('device-filters:bulk.action'),
  }
  const button = (kind: keyof typeof labels, props: { danger?: boolean } = {}): ReactNode =>
    may(deviceDialogs[kind]) && (
      <Button key={kind} size="small" {...props} onClick={() => open(kind)}>
        {labels[kind]}
      </Button>
    )
  const rest = other_commands.filter((kind) => may(deviceDialogs[kind]))
  return (
    <>
      {button('move')}
      {button('labels')}
      {may(deviceDialogs.message) && (
        <DisabledReason because={only_named}>
          <Button size="small" onClick={() => open('message')}>
            {textOf(pushKinds.message.action)}
          </Button>
        </DisabledReason>
      )}
      {rest.length > 0 && !match && (
        <Dropdown
          autoFocus
          trigger={['click']}
          menu={{
            items: rest.map((key) => ({ key, label: textOf(pushKinds[key].action) })),
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
