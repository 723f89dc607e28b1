import { Select } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, useCall } from '../../core/api.ts'
import { searchSelect, useTyped } from '../../ui/form/search-select.ts'
import { AddSelect, ChosenRow } from './chosen-rows.tsx'

export type ChosenApp = { app_kid: string; version_kid: string | null }
/** What is known of apps that were chosen before: shown until the list has answered, and when they are gone. */
type KnownApp = ChosenApp & { name: string; version_name: string | null; is_gone: boolean }
type Props = { known: readonly KnownApp[]; value?: ChosenApp[]; onChange?: (apps: ChosenApp[]) => void; id?: string }

/** Apps of the app center that the OS brings along, each in one version or in the one that is offered. */
export function AppsField({ known, id, value = [], onChange }: Props) {
  const { t } = useTranslation('os-custom')
  const typed = useTyped()
  const { text } = typed
  const [seen, setSeen] = useState<Record<string, string>>({})
  const query = useCall(api.osCustom.list_app, { ...(text && { text }) }, { keepPrevious: true })
  const apps = query.data ?? []
  const nameOf = (kid: string) =>
    apps.find((app) => app.kid === kid)?.name ?? seen[kid] ?? known.find((app) => app.app_kid === kid)?.name ?? kid
  const versionsOf = ({ app_kid, version_kid }: ChosenApp) => {
    const versions = apps.find((app) => app.kid === app_kid)?.versions ?? []
    const options = [
      { value: '', label: t('app.offered') },
      ...versions.map(({ kid, version_name, version_code }) => ({
        value: kid,
        label: `${version_name} (${version_code})`,
      })),
    ]
    const before = known.find((app) => app.version_kid === version_kid)
    if (version_kid && before && !options.some((one) => one.value === version_kid))
      options.push({ value: version_kid, label: before.version_name ?? version_kid })
    return options
  }
  const found = apps
    .filter((app) => !value.some(({ app_kid }) => app_kid === app.kid))
    .map((app) => ({
      value: app.kid,
      label: `${app.name} · ${app.package}${app.is_inherited ? ` · ${t('inherited')}` : ''}`,
    }))
  const select = searchSelect(typed, query, found)
  const set = (app_kid: string, version_kid: string | null) =>
    onChange?.(value.map((app) => (app.app_kid === app_kid ? { app_kid, version_kid } : app)))
  return (
    <div>
      {value.length > 0 && (
        <ul className="os-custom-rows">
          {value.map((app) => {
            const name = nameOf(app.app_kid)
            return (
              <ChosenRow
                key={app.app_kid}
                name={name}
                is_gone={known.some((one) => one.app_kid === app.app_kid && one.is_gone)}
                onRemove={() => onChange?.(value.filter(({ app_kid }) => app_kid !== app.app_kid))}
              >
                <Select<string>
                  aria-label={t('app.version_of', { name })}
                  value={app.version_kid ?? ''}
                  options={versionsOf(app)}
                  onChange={(kid) => set(app.app_kid, kid === '' ? null : kid)}
                />
              </ChosenRow>
            )
          })}
        </ul>
      )}
      <AddSelect
        id={id}
        typed={typed}
        select={select}
        label={t('app.add')}
        none={t('app.none')}
        onAdd={(kid) => {
          setSeen({ ...seen, [kid]: nameOf(kid) })
          onChange?.([...value, { app_kid: kid, version_kid: null }])
        }}
      />
    </div>
  )
}
