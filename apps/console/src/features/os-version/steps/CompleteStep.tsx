import { Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, useWrite } from '../../../core/api.ts'
import { Failure } from '../../../ui/Failure.tsx'
import { SubmitBar } from '../../../ui/form/SubmitBar.tsx'
import { Properties } from '../../../ui/DetailPage.tsx'
import { pageIcon } from '../../../ui/icons.tsx'
import { PageHead } from '../../../ui/PageHead.tsx'
import { OrDash } from '../../../ui/value/values.tsx'
import { AudienceText } from '../AudienceText.tsx'
import { Packages, whyNot } from './UploadStep.tsx'
import { Signing } from '../keys/Signing.tsx'
import { StepsLine, useStep } from './steps.tsx'
import '../os-version.css'

/** Paragraphs as they were written. */
const Said = ({ text }: { text: string }) => <OrDash>{text && <span className="os-text">{text}</span>}</OrDash>

/** The last step, and its edit page: everything once more, and the release. */
export default function CompleteStep() {
  const { t } = useTranslation('os-version')
  const [signature, setSignature] = useState('')
  const { kid, version, query, in_wizard, title, leave, previous } = useStep('complete')
  const mode = version?.audience?.mode ?? 'launched'
  const release = useWrite(api.opsOsVersion.release, { done: t(`complete.${mode}_done`), onSuccess: leave })
  if (query.error) return <Failure error={query.error} retry={query.refetch} />
  if (!version) return <Skeleton active />
  const signing = { kid, ...(signature.trim() !== '' && { signature: signature.trim() }) }
  const disabled_reason = !in_wizard
    ? ('complete.is_out' as const)
    : (whyNot(version) ?? (version.audience ? undefined : ('complete.no_audience' as const)))
  return (
    <section className="form-page">
      <PageHead title={title} icon={pageIcon('osIssue')} aside={<code>{version.os_version}</code>} />
      <StepsLine step="complete" />
      <div className="form-body is-wide">
        {release.error && <Failure error={release.error} is_line />}
        <Properties
          of={[
            { label: t('field.uid'), value: `${version.uid_code} · ${version.uid_name}` },
            { label: t('field.os_version'), value: version.os_version },
            { label: t('field.version_code'), value: version.version_code },
            { label: t('field.ver'), value: version.ver },
            { label: t('release.mode'), value: version.audience && t(`release.${mode}`) },
            { label: t('release.whom'), value: <AudienceText version={version} /> },
            { label: t('field.description'), value: <Said text={version.description} />, is_wide: true },
            { label: t('field.remaining_problems'), value: <Said text={version.remaining_problems} />, is_wide: true },
          ]}
        />
        <Packages version={version} is_fixed />
        <p className="dim os-note">{t('complete.signed')}</p>
        {disabled_reason === undefined && (
          <Signing
            kid={kid}
            name={`${version.uid_code}_${version.os_version}_${version.ver}`}
            value={signature}
            onChange={setSignature}
            enabled
          />
        )}
      </div>
      <footer>
        <SubmitBar
          submit={t(`complete.${mode}`)}
          onSubmit={() => void release.mutateAsync(signing).catch(() => undefined)}
          is_busy={release.isPending}
          disabled_reason={disabled_reason && t(disabled_reason)}
          onCancel={leave}
          cancel={t(in_wizard ? 'skip' : 'back_to_version')}
          previous={previous}
        />
      </footer>
    </section>
  )
}
