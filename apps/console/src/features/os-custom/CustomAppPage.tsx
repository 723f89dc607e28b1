import { Button, Steps } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { isOsBuildOpen, osBuildSteps } from '@mdm/contract'
import type { OsBuildBrief, OsBuildDetail, OsCustomDetail, OsReleaseState } from '@mdm/contract'
import { useSearch } from '../../core/address.ts'
import { listText } from '../../i18n/list-text.ts'
import { api, useCall, useWrite } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { May } from '../../core/session.tsx'
import { DetailPage } from '../../ui/DetailPage.tsx'
import { DisabledReason } from '../../ui/dialog/DisabledReason.tsx'
import { Failure } from '../../ui/Failure.tsx'
import { pageIcon } from '../../ui/icons.tsx'
import { ListTable } from '../../ui/list/ListTable.tsx'
import type { Column } from '../../ui/list/ListPage.tsx'
import { StateBadge } from '../../ui/value/StateBadge.tsx'
import type { Tone } from '../../ui/value/StateBadge.tsx'
import { Bytes, Code, CopyId, DateTime, OrDash } from '../../ui/value/values.tsx'
import { useBuildActions, useWhyNotBuild } from './actions.ts'
import type { BuildDialog } from './actions.ts'
import { BuildState, CustomState } from './badges.tsx'
import { BuildLog } from './BuildLog.tsx'
import { Contents } from './Contents.tsx'
import { BuildQuestion } from './dialogs.tsx'
import './os-custom.css'

/** What a custom OS contains, build by build, and how each was made. */
export default function CustomAppPage() {
  const { t } = useTranslation(['os-custom', 'common'])
  const [params, setParams] = useSearch()
  const kid = params.get('kid') ?? ''
  const query = useCall(api.osCustom.get, { kid })
  const builds = useCall(api.osCustom.list_build, { kid })
  const [asked, setAsked] = useState<{ what: BuildDialog; build: OsBuildBrief }>()
  const rows = builds.data ?? []
  const chosen = params.get('build') ?? rows[0]?.kid
  const custom = query.data
  return (
    <DetailPage
      title={custom?.name ?? t('one')}
      icon={pageIcon('userOsCustomList')}
      state={custom && <CustomState state={custom.state} />}
      actions={custom && <Actions custom={custom} />}
      note={custom && [...custom.apps, ...custom.files].some(({ is_gone }) => is_gone) ? t('has_gone') : undefined}
      properties={[
        { label: t('column.model'), value: custom?.model_code },
        { label: t('column.base'), value: custom && <code>{custom.base_os_version}</code> },
        { label: t('column.uid'), value: custom && <CopyId value={custom.uid_code} /> },
        { label: t('base_uid'), value: custom && <CopyId value={custom.base_uid_code} /> },
        { label: t('column.released'), value: listText(custom?.released ?? []) },
        { label: t('remark'), value: custom?.remark, is_wide: true },
      ]}
      loading={query.isPending}
      error={query.error}
      retry={query.refetch}
    >
      {custom && (
        <>
          <Builds
            rows={rows}
            chosen={chosen}
            onAsk={(what, build) => setAsked({ what, build })}
            onChoose={(build) => setParams(() => new URLSearchParams({ kid, build }), { replace: true })}
          />
          {chosen && <Build kid={chosen} />}
        </>
      )}
      {asked && <BuildQuestion {...asked} onClose={() => setAsked(undefined)} />}
    </DetailPage>
  )
}

function Actions({ custom }: { custom: OsCustomDetail }) {
  const { t } = useTranslation(['os-custom', 'common'])
  const navigate = useNavigate()
  const build = useWrite(api.osCustom.recustomise, { done: t('build_started') })
  const disabled_reason = useWhyNotBuild()(custom)
  return (
    <>
      <May needs="userOsCustomEdit">
        <DisabledReason disabled_reason={disabled_reason}>
          <Button
            disabled={disabled_reason !== undefined}
            onClick={() => void navigate(link.userOsCustomEdit.to({ kid: custom.kid }))}
          >
            {t('common:edit')}
          </Button>
        </DisabledReason>
      </May>
      <May needs="userOsCustomList:build">
        <DisabledReason disabled_reason={disabled_reason}>
          <Button
            type="primary"
            disabled={disabled_reason !== undefined}
            loading={build.isPending}
            onClick={() => void build.run({ kid: custom.kid })}
          >
            {t(custom.build ? 'recustomise' : 'build_first')}
          </Button>
        </DisabledReason>
      </May>
    </>
  )
}

const tones: Record<OsReleaseState, Tone> = {
  draft: 'quiet',
  pre_released: 'accent',
  launched: 'good',
  offline: 'warn',
}
type BuildsProps = {
  rows: readonly OsBuildBrief[]
  chosen: string | undefined
  onChoose: (kid: string) => void
  onAsk: (what: BuildDialog, build: OsBuildBrief) => void
}
function Builds({ rows, chosen, onChoose, onAsk }: BuildsProps) {
  const { t } = useTranslation('os-custom')
  const actions = useBuildActions(onAsk)
  const is_open = rows.some(({ state }) => isOsBuildOpen(state))
  const columns: Column<OsBuildBrief>[] = [
    {
      key: 'os_version',
      title: t('column.version'),
      render: (_, { kid, os_version }) =>
        kid === chosen ? (
          <strong aria-current="true">
            <Code value={os_version} />
          </strong>
        ) : (
          <Button type="link" size="small" onClick={() => onChoose(kid)}>
            <Code value={os_version} />
          </Button>
        ),
    },
    { key: 'state', title: t('column.build'), render: (_, build) => <BuildState build={build} /> },
    {
      key: 'release',
      title: t('column.release'),
      render: (_, { release }) => (
        <OrDash>{release && <StateBadge tone={tones[release]}>{t(`release_state.${release}`)}</StateBadge>}</OrDash>
      ),
    },
    {
      key: 'size',
      title: t('column.size'),
      align: 'right',
      render: (_, { size }) => <OrDash>{size !== null && <Bytes value={size} />}</OrDash>,
    },
    {
      key: 'sha256',
      title: 'SHA-256',
      render: (_, { sha256 }) => <CopyId value={sha256} short={8} />,
    },
    { key: 'created_by', title: t('created_by'), dataIndex: 'created_by' },
    { key: 'created_at', title: t('column.begun'), render: (_, { created_at }) => <DateTime at={created_at} /> },
  ]
  return (
    <section className="os-custom-part" aria-label={t('builds')}>
      <h2>{t('builds')}</h2>
      {rows.length === 0 ? (
        <p className="dim">{t('builds_none')}</p>
      ) : (
        <ListTable<OsBuildBrief>
          rows={rows}
          columns={columns}
          page_size={10}
          nameOf={({ os_version }) => os_version}
          rowActions={(build) => actions(build, is_open)}
        />
      )}
    </section>
  )
}

function Build({ kid }: { kid: string }) {
  const query = useCall(api.osCustom.get_build, { kid })
  if (query.error) return <Failure error={query.error} retry={query.refetch} />
  if (!query.data) return null
  return (
    <>
      <Progress build={query.data} />
      <Contents build={query.data} />
      <BuildLog build={query.data} />
    </>
  )
}

const statuses = {
  waiting: 'wait',
  running: 'process',
  completed: 'finish',
  failed: 'error',
  canceled: 'error',
} as const
function Progress({ build }: { build: OsBuildDetail }) {
  const { t } = useTranslation('os-custom')
  const { state, step, progress } = build
  return (
    <section className="os-custom-part" aria-label={t('progress')}>
      <h2>{t('progress_of', { version: build.os_version })}</h2>
      <Steps
        className="os-build-steps"
        size="small"
        current={state === 'completed' ? osBuildSteps.length : osBuildSteps.indexOf(step)}
        status={statuses[state]}
        {...(state === 'running' && { percent: progress })}
        items={osBuildSteps.map((one) => ({ title: t(`step.${one}`) }))}
      />
      <BuildState build={build} />
    </section>
  )
}
