import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { TerminalRow, UploadRoles } from '@mdm/contract'
import { listText } from '../../i18n/list-text.ts'
import type { Column } from '../../ui/list/ListPage.tsx'
import { Clipped } from '../../ui/value/values.tsx'

type Translate = TFunction<['configure', 'device-filters', 'devices', 'common']>

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

const unitLabel = (t: Translate, unit: Unit) =>
  unit === 'hours' || unit === 'metres' ? t(`configure:collection.${unit}`) : unit

/** Under which policy a device reports, and from which level that comes. */
export function useUploadRolesColumn(): Column<TerminalRow> {
  const { t } = useTranslation(['configure', 'device-filters', 'devices', 'common'])
  return {
    key: 'upload_roles',
    title: t('device-filters:upload_roles'),
    is_hidden: true,
    export: { labels: exportLabels(t) },
    render: (_, { upload_roles }) => <Clipped className="upload-roles" text={describe(t, upload_roles)} />,
  }
}

function describe(t: Translate, roles: UploadRoles): string {
  const said = numbers.flatMap(([key, kind, unit]) =>
    roles[key] === null ? [] : [`${t(`configure:collection.${kind}`)} ${roles[key]} ${unitLabel(t, unit)}`],
  )
  if (roles.is_usage_on) said.push(t('configure:collection.usage'))
  return `${levelLabel(t, roles)}: ${listText(said) || t('configure:collection.off')}`
}

function levelLabel(t: Translate, { source, group }: UploadRoles): string {
  if (source === 'profile') return t('configure:level.some_profile')
  if (source === 'terminal') return t('configure:level.device')
  if (source !== 'group') return t(`configure:level.${source}`)
  return group ? t('configure:level.group', { name: group.name }) : t('configure:level.group_above')
}

const exportLabels = (t: Translate): Record<string, string> => ({
  ...Object.fromEntries(
    numbers.map(([key, kind, unit]) => [
      key,
      t('common:list.export_unit', { name: t(`configure:collection.${kind}`), unit: unitLabel(t, unit) }),
    ]),
  ),
  is_usage_on: t('configure:collection.usage'),
  true: t('common:yes'),
  false: t('common:no'),
  source: t('configure:source'),
  platform: t('configure:level.platform'),
  account: t('configure:level.account'),
  group: t('devices:column.group'),
  terminal: t('configure:level.device'),
})
