import { useTranslation } from 'react-i18next'
import type { ConfigValues } from '@mdm/contract/config/sections.ts'
import { useTextOf } from '../../../../i18n/use-text-of.ts'
import { listText } from '../../../../i18n/list-text.ts'
import { Properties } from '../../../../ui/DetailPage.tsx'
import { packagesOf } from './entries.ts'
import { useAppSettings, useOfferedApps } from './offered-apps.ts'

type Managed = ConfigValues['managed_apps']

/** What is set of each app, in the words of the app where it has them. */
export function ManagedSummary({ value: { entries } }: { value: Managed }) {
  const { t } = useTranslation('configure/edit')
  const packages = packagesOf(entries)
  const known = useOfferedApps(undefined, packages)
  if (packages.length === 0) return <p className="dim">{t('apps.none')}</p>
  return packages.map((one) => (
    <AppSummary
      key={one}
      of={one}
      name={known.find((app) => app.package === one)?.name ?? one}
      entries={entries.filter((entry) => entry.package === one)}
    />
  ))
}

function AppSummary({ of, name, entries }: { of: string; name: string; entries: Managed['entries'] }) {
  const { t } = useTranslation('common')
  const textOf = useTextOf()
  const { data: settings = [] } = useAppSettings(of)
  const properties = entries.map(({ key, kind, value }) => {
    const setting = settings.find((one) => one.key === key)
    const said = (one: string) => {
      const option = setting?.options.find((each) => each.value === one)
      return option ? textOf(option.title) : one
    }
    const shown =
      kind === 'yes_no'
        ? t(value === 'true' ? 'yes' : 'no')
        : kind === 'several'
          ? listText(value.split(',').map(said))
          : said(value)
    return { label: setting ? textOf(setting.title) : key, value: shown }
  })
  return (
    <div className="config-app-summary">
      <h3>
        {name} {name !== of && <span className="code dim">{of}</span>}
      </h3>
      <Properties of={properties} />
    </div>
  )
}
