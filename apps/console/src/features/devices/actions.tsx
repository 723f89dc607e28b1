import { DownOutlined, EllipsisOutlined } from '@ant-design/icons'
import { Button, Dropdown } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { pushKinds } from '@mdm/contract'
import type { Permission, TerminalRow } from '@mdm/contract'
import { commands } from '../../shared/device/command-names.ts'
import type { Command } from '../../shared/device/command-names.ts'
import type { Match } from '../../shared/device/WhichDevices.tsx'
import { DisabledReason } from '../../ui/dialog/DisabledReason.tsx'
import { useCount } from '../../ui/value/format.ts'
import { max_selected } from '../../ui/list/use-list-table.ts'
import { may, useSession } from '../../core/session.tsx'
import { link } from '../../core/links.ts'

export type Wanted = {
  what: Command | 'rename' | 'move' | 'labels' | 'cancel' | 'scrap'
  targets: readonly TerminalRow[]
  /** Every device that is found by this, instead of targets. */
  match?: Match | undefined
  is_bulk: boolean
}
type What = Wanted['what']

const needs: Record<What, Permission> = {
  message: pushKinds.message.needs,
  find: pushKinds.find.needs,
  lock: pushKinds.lock.needs,
  restart: pushKinds.restart.needs,
  rename: 'deviceList:edit',
  labels: 'deviceList:edit',
  move: 'deviceList:move',
  cancel: 'deviceList:cancel',
  scrap: 'deviceList:cancel',
}

export function RowActions({ row, onWant }: { row: TerminalRow; onWant: (wanted: Wanted) => void }) {
  const { t } = useTranslation('devices')
  const navigate = useNavigate()
  useSession()
  const items = (['rename', 'move', ...commands] as const)
    .filter((what) => may(needs[what]))
    .map((key) => ({ key, label: t(`action.${key}`) }))
  const last = may(needs.cancel)
    ? [
        { type: 'divider' as const },
        { key: 'cancel', label: t('action.cancel'), danger: true },
        { key: 'scrap', label: t('action.scrap'), danger: true },
      ]
    : []
  return (
    <Dropdown
      autoFocus
      trigger={['click']}
      placement="bottomRight"
      menu={{
        items: [{ key: 'open', label: t('action.open') }, ...items, ...last],
        onClick: ({ key }) => {
          if (key === 'open') void navigate(link.deviceDetailInfo.to({ kid: row.kid }))
          else onWant({ what: key as What, targets: [row], is_bulk: false })
        },
      }}
    >
      <Button
        type="text"
        size="small"
        icon={<EllipsisOutlined aria-hidden />}
        aria-label={t('action.more', { name: row.name || row.sn })}
      />
    </Dropdown>
  )
}

/** Whether the person may do anything at all with several devices: without that, there is nothing to select them for. */
export function useMayAct(): boolean {
  useSession()
  return bulk_actions.some((what) => may(needs[what]))
}
const bulk_actions = ['move', 'labels', 'message', 'find', 'lock', 'restart', 'cancel', 'scrap'] as const

type BulkProps = {
  targets: () => readonly TerminalRow[]
  match: Match | undefined
  onWant: (wanted: Wanted) => void
}
export function BulkActions({ targets, match, onWant }: BulkProps) {
  const { t } = useTranslation(['devices', 'device-filters', 'common'])
  const count = useCount()
  useSession()
  const want = (what: What) => onWant({ what, targets: match ? [] : targets(), match, is_bulk: true })
  // A push is a row for each of its devices, named when it is made.
  const only_named = match && t('device-filters:match.only_named', { max: count(max_selected) })
  const labels: Partial<Record<What, string>> = {
    cancel: t('action.cancel_many'),
    scrap: t('action.scrap_many'),
    labels: t('device-filters:bulk.action'),
  }
  const button = (what: What, props: { danger?: boolean } = {}): ReactNode =>
    may(needs[what]) && (
      <Button key={what} size="small" {...props} onClick={() => want(what)}>
        {labels[what] ?? t(`action.${what as Command | 'move'}`)}
      </Button>
    )
  const rest = (['find', 'lock', 'restart'] as const).filter((what) => may(needs[what]))
  return (
    <>
      {button('move')}
      {button('labels')}
      {may(needs.message) && (
        <DisabledReason because={only_named}>
          <Button size="small" onClick={() => want('message')}>
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
            onClick: ({ key }) => want(key as What),
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
