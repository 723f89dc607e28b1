import { useTranslation } from 'react-i18next'
import { whereFieldNames } from '@mdm/contract'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { useMay } from '../../core/session.tsx'
import { api, useCall } from '../../core/api.ts'

/** What the columns of the device list are called, in its order; those of the account's own fields are called as the fields are. */
export function useColumnTitles() {
  const { t } = useTranslation(['devices', 'device-filters', 'common'])
  const textOf = useTextOf()
  return {
    sn: t('devices:column.sn'),
    name: t('devices:column.name'),
    is_online: t('common:state'),
    last_online_at: t('devices:column.last_contact'),
    battery_level: t('devices:column.battery'),
    network_type: t('devices:column.network'),
    signal: t('devices:column.signal'),
    group: t('devices:column.group'),
    model: t('devices:column.model'),
    os_version: t('devices:column.os'),
    registered_at: t('devices:column.registered_at'),
    tags: t('device-filters:tags.title'),
    uid: textOf(whereFieldNames.uid),
    version_code: textOf(whereFieldNames.version_code),
    ver: textOf(whereFieldNames.ver),
    imei: textOf(whereFieldNames.imei),
    service_version: t('device-filters:agent'),
    device_name: t('device-filters:device_name'),
    ap_name: t('device-filters:ap_name'),
    battery_health: t('device-filters:battery_health'),
    battery_temperature: t('device-filters:battery_temperature'),
    location_fence_status: t('device-filters:fence.title'),
    is_metered: t('device-filters:metered'),
    is_roaming: t('device-filters:roaming'),
    foreground_app: t('device-filters:foreground.title'),
    upload_roles: t('device-filters:upload_roles'),
  }
}

/** All of them by their key, the account's own fields included. */
export function useColumnNames(): Readonly<Record<string, string>> {
  const titles = useColumnTitles()
  const fields = useCall(api.customField.list, {}, { enabled: useMay('deviceList') }).data ?? []
  return { ...titles, ...Object.fromEntries(fields.map(({ kid, name }) => [`fields.${kid}`, name])) }
}
