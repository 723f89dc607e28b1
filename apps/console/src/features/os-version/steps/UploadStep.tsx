import { Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { isOsOut } from '@mdm/contract'
import type { OsPackage, OsVersionDetail } from '@mdm/contract'
import { api, useWrite } from '../../../core/api.ts'
import { startDownload } from '../../../core/start-download.ts'
import { Failure } from '../../../ui/Failure.tsx'
import { ListTable } from '../../../ui/list/ListTable.tsx'
import type { Column } from '../../../ui/list/ListPage.tsx'
import type { RowAction } from '../../../ui/list/RowActions.tsx'
import { SubmitBar } from '../../../ui/form/SubmitBar.tsx'
import { pageIcon } from '../../../ui/icons.tsx'
import { PageHead } from '../../../ui/PageHead.tsx'
import { ProgressBar } from '../../../ui/value/ProgressBar.tsx'
import { StateBadge } from '../../../ui/value/StateBadge.tsx'
import type { Tone } from '../../../ui/value/StateBadge.tsx'
import { Bytes, CopyId, OrDash } from '../../../ui/value/values.tsx'
import { listText } from '../../../i18n/list-text.ts'
import { MakeDifferences } from '../packages/MakeDifferences.tsx'
import { OfferPackages } from '../packages/OfferPackages.tsx'
import { PackageForm } from '../packages/PackageForm.tsx'
import { StepsLine, useStep } from './steps.tsx'
import '../os-version.css'

/** The second step, and its edit page: the full package and differences. */
export default function UploadStep() {
  const { t } = useTranslation('os-version')
  const { version, query, in_wizard, title, next, leave, previous } = useStep('upload')
  if (query.error) return <Failure error={query.error} retry={query.refetch} />
  if (!version) return <Skeleton active />
  const is_out = !in_wizard
  const disabled_reason = is_out ? undefined : whyNot(version)
  return (
    <section className="form-page">
      <PageHead title={title} icon={pageIcon('osIssue')} aside={<code>{version.os_version}</code>} />
      <StepsLine step="upload" />
      <div className="form-body is-wide">
        <p className="dim os-note">{t('upload.hint', { uid: version.uid_code })}</p>
        {is_out && <p className="dim os-note">{t('upload.is_out')}</p>}
        <Packages version={version} is_fixed={!version.is_own} />
        {is_out && version.is_own && <OfferPackages version={version} />}
        <PackageForm version={version} is_out={is_out} />
        <MakeDifferences version={version} />
      </div>
      <footer>
        <SubmitBar
          submit={t(in_wizard ? 'save_next' : 'back_to_version')}
          onSubmit={next}
          disabled_reason={disabled_reason && t(disabled_reason)}
          {...(in_wizard && { onCancel: leave })}
          cancel={t('skip')}
          previous={previous}
        />
      </footer>
    </section>
  )
}

/** "Packages must finish processing before saving. Difference packages must all succeed" (specification, 5). */
export function whyNot({
  packages,
}: OsVersionDetail): 'why_not.none' | 'why_not.working' | 'why_not.failed' | undefined {
  if (packages.length === 0) return 'why_not.none'
  if (packages.some(({ state }) => state === 'failed')) return 'why_not.failed'
  return packages.some(({ state }) => state !== 'ready') ? 'why_not.working' : undefined
}

const tones: Record<OsPackage['state'], Tone> = {
  fetching: 'moving',
  checking: 'moving',
  making: 'moving',
  ready: 'good',
  failed: 'bad',
}

export function Packages({ version, is_fixed }: { version: OsVersionDetail; is_fixed: boolean }) {
  const { t } = useTranslation(['os-version', 'common'])
  const retry = useWrite(api.opsOsVersion.retry_package)
  const download = useWrite(api.opsOsVersion.download_package, { onSuccess: startDownload })
  const remove = useWrite(api.opsOsVersion.delete_package, { done: t('package.removed') })
  const is_out = isOsOut(version.state)
  const full = version.packages.find(({ kind }) => kind === 'full')?.size ?? null
  const columns: Column<OsPackage>[] = [
    {
      key: 'kind',
      title: t('package.kind'),
      render: (_, { from, is_made }) =>
        from ? (
          <>
            {t('package.difference_from', { version: from.os_version, ver: from.ver })}
            {is_made && <span className="dim"> · {t('package.made')}</span>}
          </>
        ) : (
          t('package.full')
        ),
    },
    {
      key: 'file_name',
      title: t('package.file'),
      render: (_, { file_name, url }) => (
        <span className="os-file">
          {file_name}
          {url && <span className="dim"> {url}</span>}
        </span>
      ),
    },
    {
      key: 'format',
      title: t('package.format'),
      render: (_, { format, said_version, hardware }) => (
        <span className="os-file">
          {t(`package.formats.${format}`)}
          {said_version !== null && <span className="dim">{t('package.says', { version: said_version })}</span>}
          {hardware.length > 0 && <span className="dim">{t('package.hardware', { names: listText(hardware) })}</span>}
        </span>
      ),
    },
    { key: 'state', title: t('common:state'), render: (_, row) => <PackageState of={row} /> },
    {
      key: 'size',
      title: t('package.size'),
      align: 'right',
      render: (_, { size, kind }) => (
        <OrDash>
          {size !== null && <Bytes value={size} />}
          {size !== null && kind === 'difference' && full !== null && (
            <span className="dim os-ratio">{t('package.of_full', { percent: percentOf(size, full) })}</span>
          )}
        </OrDash>
      ),
    },
    { key: 'md5', title: 'MD5', render: (_, { md5 }) => <CopyId value={md5} short={8} /> },
    {
      key: 'sha256',
      title: 'SHA-256',
      render: (_, { sha256 }) => <CopyId value={sha256} short={8} />,
    },
  ]
  const changes = (row: OsPackage): RowAction[] => [
    {
      label: t('package.retry'),
      disabled_reason: row.state === 'failed' ? undefined : t('package.not_failed'),
      onSelect: () => void retry.run({ kid: row.kid }),
    },
    {
      label: t(row.state === 'making' ? 'package.cancel' : 'package.remove'),
      danger: true,
      disabled_reason: is_out && row.is_offered ? t('why_not.offered') : undefined,
      onSelect: () => void remove.run({ kid: row.kid }),
    },
  ]
  if (version.packages.length === 0) return null
  return (
    <ListTable<OsPackage>
      rows={version.packages}
      columns={columns}
      nameOf={({ file_name }) => file_name}
      rowActions={(row) => [
        {
          label: t('package.download'),
          disabled_reason: row.state === 'ready' ? undefined : t('package.not_ready'),
          onSelect: () => void download.run({ kid: row.kid }),
        },
        ...(is_fixed ? [] : changes(row)),
      ]}
    />
  )
}

/** With a digit behind the point where it is small. */
const percentOf = (part: number, whole: number): string => {
  const percent = (part / whole) * 100
  return percent >= 10 ? String(Math.round(percent)) : String(Math.max(0.1, Math.round(percent * 10) / 10))
}

function PackageState({ of }: { of: OsPackage }) {
  const { t } = useTranslation('os-version')
  const percent = of.size ? Math.floor((of.received / of.size) * 100) : 0
  return (
    <span className="os-package-state">
      <StateBadge tone={tones[of.state]}>{t(`package.state.${of.state}`)}</StateBadge>
      {of.state === 'fetching' && of.size !== null && <ProgressBar percent={percent} label={of.file_name} />}
      {of.state === 'making' && <ProgressBar percent={of.progress} label={of.file_name} />}
      {of.fault && <span className="os-fault">{of.fault}</span>}
    </span>
  )
}
