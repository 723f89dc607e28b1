import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import { canOsRelease } from '@mdm/contract'
import type { OsVersionDetail, Permission } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { May } from '../../core/session.tsx'
import { DetailPage } from '../../ui/DetailPage.tsx'
import { DisabledReason } from '../../ui/dialog/DisabledReason.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import { Failure } from '../../ui/Failure.tsx'
import { pageIcon } from '../../ui/icons.tsx'
import { useCount } from '../../ui/value/format.ts'
import { CopyId, DateTime } from '../../ui/value/values.tsx'
import { AudienceText } from './AudienceText.tsx'
import { DeleteVersion, TakeVersionOffline } from './dialogs.tsx'
import { OsStateBadge } from './OsVersionsPage.tsx'
import { stepAddress } from './steps/steps.tsx'
import { Packages } from './steps/UploadStep.tsx'
import './os-version.css'

export default function OsVersionPage() {
  const { t } = useTranslation(['os-version', 'common'])
  const kid = useSearchParams()[0].get('kid') ?? ''
  const query = useCall(api.opsOsVersion.get, { kid })
  const version = query.data
  return (
    <DetailPage
      title={version ? `${version.os_version} (VER ${version.ver})` : t('version')}
      icon={pageIcon('osIssue')}
      state={version && <OsStateBadge state={version.state} />}
      actions={version && <Actions version={version} />}
      note={version?.is_cancelling ? t('offline.canceling') : undefined}
      properties={[
        { label: t('field.uid'), value: version && <CopyId value={version.uid_code} /> },
        { label: t('column.uid_name'), value: version?.uid_name },
        { label: t('field.version_code'), value: version?.version_code },
        { label: t('field.ver'), value: version?.ver },
        { label: t('column.type'), value: version && t(`type.${version.type}`) },
        { label: t('release.whom'), value: version?.audience && <AudienceText version={version} /> },
        { label: t('column.publisher'), value: version?.created_by },
        { label: t('column.released_at'), value: version?.released_at && <DateTime at={version.released_at} /> },
        { label: t('keys.signed_by'), value: version?.key && <CopyId value={version.key} short={16} /> },
        { label: t('common:created_at'), value: version && <DateTime at={version.created_at} /> },
        {
          label: t('field.description'),
          is_wide: true,
          value: version?.description && <span className="os-text">{version.description}</span>,
        },
        {
          label: t('field.remaining_problems'),
          is_wide: true,
          value: version?.remaining_problems && <span className="os-text">{version.remaining_problems}</span>,
        },
      ]}
      loading={query.isPending}
      error={query.error}
      retry={query.refetch}
    >
      {version && (
        <>
          <section className="os-part" aria-label={t('package.title')}>
            <h2>{t('package.title')}</h2>
            {version.packages.length === 0 ? (
              <p className="dim">{t('package.none')}</p>
            ) : (
              <Packages version={version} is_fixed />
            )}
          </section>
          <Running kid={kid} />
          <History kid={kid} />
        </>
      )}
    </DetailPage>
  )
}

function Actions({ version }: { version: OsVersionDetail }) {
  const { t } = useTranslation(['os-version', 'common'])
  const navigate = useNavigate()
  const dialog = useDialog({ offline: 'osIssue:offline', delete: 'osIssue:delete' }, [])
  const { kid, state, step } = version
  const foreign = version.is_own ? undefined : t('why_not.foreign', { name: version.created_by })
  const act = (
    needs: Permission,
    label: string,
    disabled_reason: string | undefined,
    run: () => unknown,
    is_primary = false,
  ) => (
    <May needs={needs}>
      <DisabledReason disabled_reason={disabled_reason}>
        <Button
          type={is_primary ? 'primary' : 'default'}
          disabled={disabled_reason !== undefined}
          onClick={() => void run()}
        >
          {label}
        </Button>
      </DisabledReason>
    </May>
  )
  const in_wizard = canOsRelease(state, 'delete')
  return (
    <>
      {in_wizard &&
        act('osIssueUploadOs', t('action.continue'), foreign, () => navigate(stepAddress(step, kid, false)), true)}
      {act('osIssueIssueCreateOsEdit', t('common:edit'), foreign, () => navigate(stepAddress('create', kid, true)))}
      {!in_wizard &&
        act('osIssueReleaseOsEdit', t('action.audience'), foreign, () => navigate(stepAddress('release', kid, true)))}
      {!in_wizard &&
        act('osIssueUploadOsEdit', t('action.packages'), foreign, () => navigate(stepAddress('upload', kid, true)))}
      {act(
        'osIssue:offline',
        t('offline.action'),
        foreign ?? (canOsRelease(state, 'take_offline') ? undefined : t('why_not.not_out')),
        () => dialog.open('offline'),
      )}
      {act('osIssue:delete', t('common:delete'), foreign ?? (in_wizard ? undefined : t('why_not.out')), () =>
        dialog.open('delete'),
      )}
      {dialog.is('offline') && <TakeVersionOffline version={version} onClose={dialog.close} />}
      {dialog.is('delete') && (
        <DeleteVersion
          version={version}
          onClose={dialog.close}
          leave={() => navigate(link.osIssue.to(), { replace: true })}
        />
      )}
    </>
  )
}

/** Who runs it now, and who could. */
function Running({ kid }: { kid: string }) {
  const { t } = useTranslation('os-version')
  const count = useCount()
  const query = useCall(api.opsOsVersion.running, { kid })
  if (query.error) return <Failure error={query.error} retry={query.refetch} is_line />
  const { devices = 0, behind = 0, accounts = [] } = query.data ?? {}
  return (
    <section className="os-part" aria-label={t('running.title')}>
      <h2>{t('running.title')}</h2>
      <p>
        {t('running.devices', { count: devices, shown: count(devices) })} ·{' '}
        {t('running.behind', { count: behind, shown: count(behind) })}
      </p>
      <ul className="os-history is-accounts">
        {accounts.map((account) => (
          <li key={account.account_kid}>
            <span>{account.name}</span>
            <span className="number">{t('running.on', { count: account.devices, shown: count(account.devices) })}</span>
            <span className="number dim">
              {t('running.behind', { count: account.behind, shown: count(account.behind) })}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function History({ kid }: { kid: string }) {
  const { t } = useTranslation('os-version')
  const query = useCall(api.opsOsVersion.list_history, { kid })
  if (query.error) return <Failure error={query.error} retry={query.refetch} is_line />
  const detailOf = (event: string, detail: string): string =>
    event === 'audience_set' && detail === '*'
      ? t('release.all')
      : event === 'step_discarded'
        ? t(detail === 'upload' ? 'step.upload' : 'step.release')
        : detail
  return (
    <section className="os-part" aria-label={t('history.title')}>
      <h2>{t('history.title')}</h2>
      <ol className="os-history is-events">
        {query.data?.map(({ event, at, by, detail }, index) => (
          <li key={`${at} ${index}`}>
            <DateTime at={at} />
            <span>{t(`history.${event}`)}</span>
            <span className="dim">{detailOf(event, detail)}</span>
            <span className="dim">{by}</span>
          </li>
        ))}
      </ol>
    </section>
  )
}
