import { Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { api, useCall } from '../../core/api.ts'
import { useMay } from '../../core/session.tsx'

const newest = ''
type Props = {
  app_kid: string | undefined
  id?: string
  value?: string | null
  onChange?: (kid: string | null) => void
}
/** The control of a field: one version of an app, or whichever is the newest. */
export function VersionSelect({ app_kid, value = null, onChange, ...props }: Props) {
  const { t } = useTranslation('app-requirement')
  const may_read = useMay('appCenterDetails')
  const asked = { app_kid: app_kid ?? '', page_size: 200, sort: 'version_code', order: 'desc' } as const
  const query = useCall(api.appCenter.paging_version, asked, { enabled: may_read && app_kid !== undefined })
  const versions = query.data?.items ?? []
  const is_gone = value !== null && query.data !== undefined && !versions.some(({ kid }) => kid === value)
  return (
    <Select<string>
      {...props}
      value={value ?? newest}
      loading={query.isFetching}
      options={[
        { value: newest, label: t('version.newest') },
        ...versions.map((version) => ({
          value: version.kid,
          label: `${version.version_name} (${version.version_code})`,
        })),
        ...(is_gone ? [{ value, label: t('version.gone') }] : []),
      ]}
      onChange={(kid) => onChange?.(kid === newest ? null : kid)}
    />
  )
}
