import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { CustomField, TerminalRow } from '@mdm/contract'
import { useColumnTitles } from '../../shared/device-filters/column-titles.ts'
import { FieldCell, Tags, useCustomFields } from '../../shared/device-filters/device-fields.tsx'
import { agentName } from '../../shared/device/agent-name.ts'
import { Battery, PresenceBadge, Signal, useNetworkLabel } from '../../shared/device/DeviceParts.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { Ago, Code, DateTime, OrDash, Unit } from '../../ui/value/values.tsx'
import { useUploadRolesColumn } from './upload-roles.tsx'
import { link } from '../../core/links.ts'

/** Keys of sortable columns are the server's names for sorting. */
export function useDeviceColumns(): Column<TerminalRow>[] {
  const { t } = useTranslation(['devices', 'device-filters', 'common', 'device'])
  const titles = useColumnTitles()
  const network = useNetworkLabel()
  const more = useMoreColumns()
  const fields = useCustomFields()
  return [
    {
      key: 'sn',
      title: titles.sn,
      sorter: true,
      is_fixed: true,
      render: (_, row) => (
        <Link className="device-sn" to={link.deviceDetailInfo.to({ kid: row.kid })}>
          <Code value={row.sn} />
        </Link>
      ),
    },
    { key: 'name', title: titles.name, sorter: true, render: (_, row) => row.name },
    {
      key: 'is_online',
      title: titles.is_online,
      export: { labels: { true: t('common:online'), false: t('common:offline') } },
      render: (_, row) => <PresenceBadge device={row} />,
    },
    {
      key: 'last_online_at',
      title: titles.last_online_at,
      sorter: true,
      // Of a device that is online the server keeps since when; its last contact is at most a keepalive old.
      render: (_, row) =>
        !row.is_online && row.last_online_at ? (
          <Ago at={row.last_online_at} />
        ) : (
          <span className="ago">{t(row.is_online ? 'now' : 'never')}</span>
        ),
    },
    {
      key: 'battery_level',
      title: titles.battery_level,
      sorter: true,
      export: { title: t('common:list.export_unit', { name: titles.battery_level, unit: '%' }) },
      render: (_, row) => <Battery level={row.battery_level} charging={row.battery_charging} />,
    },
    {
      key: 'network_type',
      title: titles.network_type,
      export: { labels: t('device:network', { returnObjects: true }) },
      render: (_, row) => row.network_type && network(row.network_type),
    },
    {
      key: 'signal',
      title: titles.signal,
      export: { title: t('common:list.export_unit', { name: titles.signal, unit: 'dBm' }) },
      render: (_, row) => <Signal dbm={row.signal} />,
    },
    {
      key: 'group',
      title: titles.group,
      export: { key: 'terminal_group_name' },
      render: (_, row) => row.terminal_group_name,
    },
    { key: 'model', title: titles.model, sorter: true, render: (_, row) => row.model },
    {
      key: 'os_version',
      title: titles.os_version,
      sorter: true,
      export: [{ key: 'os_name' }, { title: t('filter.os_version') }],
      render: (_, row) => [row.os_name, row.os_version].filter(Boolean).join(' '),
    },
    {
      key: 'service_version',
      title: titles.service_version,
      is_hidden: true,
      render: (_, row) => agentName(row),
    },
    {
      key: 'registered_at',
      title: titles.registered_at,
      sorter: true,
      render: (_, row) => <DateTime at={row.registered_at} />,
    },
    ...more,
    ...fields.map((field) => fieldColumn(field, { yes: t('common:yes'), no: t('common:no') })),
  ]
}

const fenceStates = ['closed', 'enter', 'out'] as const

/** Of what there is, not shown until somebody asks for it. */
function useMoreColumns(): Column<TerminalRow>[] {
  const { t } = useTranslation(['device-filters', 'common'])
  const titles = useColumnTitles()
  const upload_roles = useUploadRolesColumn()
  const health = t('health', { returnObjects: true })
  const text = (key: 'uid' | 'imei' | 'device_name' | 'ap_name' | 'foreground_app'): Column<TerminalRow> => ({
    key,
    title: titles[key],
    is_hidden: true,
    render: (_, row) => row[key],
  })
  const number = (key: 'version_code' | 'ver'): Column<TerminalRow> => ({
    key,
    title: titles[key],
    is_hidden: true,
    align: 'right',
    render: (_, row) => row[key],
  })
  const flag = (key: 'is_metered' | 'is_roaming'): Column<TerminalRow> => ({
    key,
    title: titles[key],
    is_hidden: true,
    export: { labels: { true: t('common:yes'), false: t('common:no') } },
    render: (_, row) => t(row[key] ? 'common:yes' : 'common:no'),
  })
  return [
    { key: 'tags', title: titles.tags, is_hidden: true, render: (_, row) => <Tags of={row.tags} /> },
    text('uid'),
    number('version_code'),
    number('ver'),
    text('imei'),
    text('device_name'),
    text('ap_name'),
    {
      key: 'battery_health',
      title: titles.battery_health,
      is_hidden: true,
      export: { labels: health },
      render: (_, row) => health[row.battery_health as keyof typeof health] ?? row.battery_health,
    },
    {
      key: 'battery_temperature',
      title: titles.battery_temperature,
      is_hidden: true,
      export: { title: t('common:list.export_unit', { name: titles.battery_temperature, unit: '°C' }) },
      render: (_, row) => (
        <OrDash>{row.battery_temperature !== null && <Unit value={row.battery_temperature} unit="°C" />}</OrDash>
      ),
    },
    {
      key: 'location_fence_status',
      title: titles.location_fence_status,
      is_hidden: true,
      export: { labels: { 0: t('fence.closed'), 1: t('fence.enter'), 2: t('fence.out') } },
      render: (_, row) => t(`fence.${fenceStates[row.location_fence_status]}`),
    },
    flag('is_metered'),
    flag('is_roaming'),
    text('foreground_app'),
    upload_roles,
  ]
}

const fieldColumn = (field: CustomField, { yes, no }: { yes: string; no: string }): Column<TerminalRow> => ({
  key: `fields.${field.kid}`,
  title: field.name,
  is_hidden: true,
  ...(field.kind === 'yes_no' && { export: { labels: { true: yes, false: no } } }),
  render: (_, row) => <FieldCell field={field} value={row.fields[field.kid]} />,
})
