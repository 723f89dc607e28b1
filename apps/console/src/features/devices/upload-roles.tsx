import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { TerminalRow, UploadRoles } from '@mdm/contract'
import type { Column } from '../../ui/list/ListPage.tsx'
import { Clipped } from './Clipped.tsx'

type Words = TFunction<['device-config', 'device-filters', 'devices', 'common']>

/** What is measured, the name of its kind and its unit. */
const numbers = [
  ['battery_percent', 'battery', '%'],
  ['wifi_dbm', 'wifi', 'dBm'],
  ['mobile_dbm', 'mobile', 'dBm'],
  ['every_hours', 'timed', 'hours'],
  ['location_metres', 'location', 'metres'],
  ['location_hours', 'location', 'hours'],
] as const
type Unit = (typeof numbers)[number][2]

const unitWord = (t: Words, unit: Unit) =>
  unit === 'hours' || unit === 'metres' ? t(`device-config:collection.${unit}`) : unit

/** Under which policy a device reports, and from which level that comes. */
export function useUploadRolesColumn(): Column<TerminalRow> {
  const { t } = useTranslation(['device-config', 'device-filters', 'devices', 'common'])
  return {
    key: 'upload_roles',
    title: t('device-filters:upload_roles'),
    is_hidden: true,
    export: { words: fileWords(t) },
    render: (_, { upload_roles }) => <Clipped is_wide text={say(t, upload_roles)} />,
  }
}

function say(t: Words, roles: UploadRoles): string {
  const said = numbers.flatMap(([key, kind, unit]) =>
    roles[key] === null ? [] : [`${t(`device-config:collection.${kind}`)} ${roles[key]} ${unitWord(t, unit)}`],
  )
  if (roles.is_usage_on) said.push(t('device-config:collection.usage'))
  return `${levelWord(t, roles)}: ${said.join(', ') || t('device-config:collection.off')}`
}

function levelWord(t: Words, { source, group }: UploadRoles): string {
  if (source === 'terminal') return t('device-config:level.device')
  if (source !== 'group') return t(`device-config:level.${source}`)
  return group ? t('device-config:level.group', { name: group.name }) : t('device-config:level.group_above')
}

const fileWords = (t: Words): Record<string, string> => ({
  ...Object.fromEntries(
    numbers.map(([key, kind, unit]) => [
      key,
      t('common:list.export_unit', { name: t(`device-config:collection.${kind}`), unit: unitWord(t, unit) }),
    ]),
  ),
  is_usage_on: t('device-config:collection.usage'),
  true: t('common:yes'),
  false: t('common:no'),
  source: t('device-config:source'),
  platform: t('device-config:level.platform'),
  account: t('device-config:level.account'),
  group: t('devices:column.group'),
  terminal: t('device-config:level.device'),
})
