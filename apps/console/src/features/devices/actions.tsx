import { Button } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { pushKinds } from '@mdm/contract'
import type { Permission, TerminalRow } from '@mdm/contract'
import { deviceDialogNeeds, isCommand, pushMenu } from '../../shared/device/commands/names.ts'
import { PushMenu, useMayPush } from '../../shared/device/commands/PushMenu.tsx'
import { wizardAddress } from '../push-task/public.ts'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { useInability } from '../../shared/device/inability.ts'
import type { Match } from '../../shared/device/WhichDevices.tsx'
import type { RowAction } from '../../ui/list/RowActions.tsx'
import { may, useSession } from '../../core/session.tsx'
import { link } from '../../core/links.ts'

/** What is done to devices in a dialog, and the permission that it needs. */
export const deviceDialogs = {
  ...deviceDialogNeeds,
  labels: 'deviceList:edit',
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
  const { t } = useTranslation(['devices', 'device'])
  const textOf = useTextOf()
  const may_push = useMayPush()
  const inability = useInability()
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
      ...pushMenu.map((kind) => {
        const label = textOf(pushKinds[kind].action)
        const disabled_reason = inability([row], kind)
        if (isCommand(kind)) return { ...action(kind, label), disabled_reason }
        return {
          needs: pushKinds[kind].needs,
          label,
          disabled_reason,
          to: wizardAddress({ type: kind, devices: [row] }),
        }
      }),
      ...(may_push ? [{ label: t('device:push.more_of_row'), to: wizardAddress({ devices: [row] }) }] : []),
      {
        needs: 'deviceDetailInfo:lost',
        label: t('action.lost'),
        danger: true,
        to: link.deviceDetailInfo.to({ kid: row.kid, dialog: 'lost', of: row.kid }),
      },
      action('cancel', t('action.cancel'), true),
      action('scrap', t('action.scrap'), true),
    ]
  }
}

/** Whether the person may do anything at all with several devices: without that, there is nothing to select them for. */
export function useMayAct(): boolean {
  useSession()
  const may_push = useMayPush()
  return may_push || bulk_actions.some((kind) => may(deviceDialogs[kind]))
}
const bulk_actions = ['move', 'labels', 'cancel', 'scrap'] as const

type BulkProps = {
  targets: () => readonly TerminalRow[]
  match: Match | undefined
  /** What `match` asks, in words. */
  said: string
  onOpen: (dialog: BulkDialog) => void
}
export function BulkActions({ targets, match, said, onOpen }: BulkProps) {
  const { t } = useTranslation(['devices', 'device-filters'])
  const navigate = useNavigate()
  useSession()
  const open = (kind: DeviceDialogKind) => onOpen({ kind, targets: match ? [] : targets(), match })
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
  return (
    <>
      {button('move')}
      {button('labels')}
      <PushMenu
        devices={match ? [] : targets()}
        size="small"
        onOpen={match ? undefined : open}
        onWizard={(type) => void navigate(wizardAddress(match ? { type, match, said } : { type, devices: targets() }))}
      />
      {button('cancel', { danger: true })}
      {button('scrap', { danger: true })}
    </>
  )
}
