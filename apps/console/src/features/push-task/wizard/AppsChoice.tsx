import { Select } from 'antd'
import { useEffect, useEffectEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { pushedAppLimits } from '@mdm/contract'
import type { App, PushPayload } from '@mdm/contract'
import { api, useCall } from '../../../core/api.ts'
import { useMay } from '../../../core/session.tsx'
import { ChoiceTable, choice_page_size } from '../../../shared/devices-picker/ChoiceTable.tsx'
import { useTyped } from '../../../ui/form/search-select.ts'
import { Failure } from '../../../ui/Failure.tsx'
import { Bytes, Dash } from '../../../ui/value/values.tsx'

export type WantedApp = PushPayload<'app_install'>['apps'][number]
type Props = { value?: readonly WantedApp[]; onChange?: (apps: readonly WantedApp[]) => void }
const none: readonly WantedApp[] = []

/** The control of a form's field: listed apps, and the version of each; without one it is the newest at that time. */
export function AppsChoice({ value = none, onChange }: Props) {
  const { t } = useTranslation(['push-task/wizard', 'common'])
  const typed = useTyped()
  const may_see_versions = useMay('appCenterDetails')
  const [page, setPage] = useState(1)
  const [known, setKnown] = useState<readonly App[]>([])
  const [has_gone, setGone] = useState(false)
  const of = (kid: string) => value.find(({ app_kid }) => app_kid === kid)
  const unknown = useAppsOf(value.map(({ app_kid }) => app_kid).filter((kid) => !known.some((app) => app.kid === kid)))
  const apps = value.flatMap(({ app_kid }) => [...known, ...unknown.apps].find(({ kid }) => kid === app_kid) ?? [])
  const drop = useEffectEvent(() => {
    setGone(true)
    onChange?.(value.filter(({ app_kid }) => apps.some(({ kid }) => kid === app_kid)))
  })
  const is_missing = !unknown.is_pending && !unknown.error && unknown.missing > 0
  useEffect(() => {
    if (is_missing) drop()
  }, [is_missing])
  const query = useCall(
    api.appCenter.paging,
    { text: typed.text, state: 'listed', page, page_size: choice_page_size, sort: 'name' },
    { keepPrevious: true },
  )
  const choose = (app_kid: string, version_kid: string | undefined) =>
    onChange?.(
      value.map((each) => (each.app_kid === app_kid ? { app_kid, ...(version_kid && { version_kid }) } : each)),
    )
  return (
    <>
      {has_gone && <Failure error={new Error(t('apps.gone'))} is_line />}
      <ChoiceTable<App>
        label={t('apps.label')}
        query={query}
        page={page}
        onPage={setPage}
        value={apps}
        onChange={(rows) => {
          setKnown(rows)
          onChange?.(rows.map(({ kid }) => of(kid) ?? { app_kid: kid }))
        }}
        max={pushedAppLimits.apps}
        search={{ ...typed, label: t('apps.search') }}
        chosen={(number) => t('apps.chosen', { count: number })}
        full={t('apps.full', { max: pushedAppLimits.apps })}
        empty={t(typed.text ? 'apps.none_match' : 'apps.none')}
        nameOf={({ name }) => name}
        columns={[
          { key: 'name', title: t('common:name'), render: (_, app) => app.name },
          { key: 'package', title: t('apps.package'), render: (_, app) => <span className="dim">{app.package}</span> },
          {
            key: 'origin',
            title: t('apps.origin'),
            render: (_, { origin }) => <span className="dim">{t(`apps.origin_of.${origin}`)}</span>,
          },
          {
            key: 'version',
            title: t('apps.version'),
            render: (_, app) => {
              const wanted = of(app.kid)
              if (wanted && may_see_versions)
                return (
                  <VersionSelect
                    app={app}
                    value={wanted.version_kid}
                    onChange={(version_kid) => choose(app.kid, version_kid)}
                  />
                )
              return app.offered ? app.offered.version_name : <Dash />
            },
          },
          {
            key: 'size',
            title: t('apps.size'),
            align: 'right',
            render: (_, { offered }) => (offered ? <Bytes value={offered.size} /> : <Dash />),
          },
        ]}
      />
    </>
  )
}

type VersionProps = { app: App; value: string | undefined; onChange: (kid: string | undefined) => void }
const newest = ''
function VersionSelect({ app, value, onChange }: VersionProps) {
  const { t } = useTranslation('push-task/wizard')
  const query = useCall(api.appCenter.paging_version, { app_kid: app.kid, page_size: 200 })
  const named = ({ version_name, version_code }: { version_name: string; version_code: number }) =>
    `${version_name} (${version_code})`
  return (
    <Select<string>
      className="push-version"
      aria-label={t('apps.version_of', { name: app.name })}
      value={value ?? newest}
      loading={query.isPending}
      popupMatchSelectWidth={false}
      options={[
        { value: newest, label: t('apps.newest', { version: app.offered ? named(app.offered) : '' }) },
        ...(query.data?.items ?? []).map((version) => ({ value: version.kid, label: named(version) })),
      ]}
      onChange={(kid) => onChange(kid === newest ? undefined : kid)}
    />
  )
}

/** Apps that were chosen before, by name and version, for a step that does not show their list. */
export function ChosenApps({ of }: { of: readonly WantedApp[] }) {
  const { t } = useTranslation('push-task/wizard')
  const { apps } = useAppsOf(of.map(({ app_kid }) => app_kid))
  const wanted = of.flatMap(({ app_kid, version_kid }) => {
    const app = apps.find(({ kid }) => kid === app_kid)
    return app ? [{ app, version_kid }] : []
  })
  return (
    <p className="push-apps" aria-busy={wanted.length < of.length}>
      <span className="dim">{t('apps.label')}</span>
      {wanted.map(({ app, version_kid }) => (
        <span key={app.kid}>
          <strong>{app.name}</strong> <VersionName app={app} version_kid={version_kid} />
        </span>
      ))}
    </p>
  )
}
/** A version that was chosen, or the one that is the newest now. */
function VersionName({ app, version_kid }: { app: App; version_kid: string | undefined }) {
  const enabled = useMay('appCenterDetails') && version_kid !== undefined
  const versions = useCall(api.appCenter.paging_version, { app_kid: app.kid, page_size: 200 }, { enabled }).data
  if (version_kid === undefined) return app.offered?.version_name
  return versions?.items.find(({ kid }) => kid === version_kid)?.version_name
}

/** The listed apps that kids name, read page by page until all are found, as files are. */
function useAppsOf(kids: readonly string[]) {
  const [page, setPage] = useState(1)
  const [found, setFound] = useState<readonly App[]>([])
  const missing = kids.filter((kid) => !found.some((app) => app.kid === kid))
  const query = useCall(
    api.appCenter.paging,
    { state: 'listed', page, page_size: 200 },
    { enabled: missing.length > 0 },
  )
  const data = query.data
  const [seen, setSeen] = useState<typeof data>()
  if (data && data !== seen && missing.length > 0) {
    setSeen(data)
    setFound([...found, ...data.items.filter(({ kid }) => missing.includes(kid))])
    if (data.items.length === 200) setPage(data.page + 1)
  }
  const is_last = data !== undefined && data === seen && data.items.length < 200
  return {
    apps: kids.flatMap((kid) => found.find((app) => app.kid === kid) ?? []),
    error: query.error,
    is_pending: missing.length > 0 && !is_last && !query.error,
    missing: missing.length,
  }
}
