import { Steps } from 'antd'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate, useSearchParams } from 'react-router'
import { osSteps, pages } from '@mdm/contract'
import type { OsStep, OsVersionDetail, PageName } from '@mdm/contract'
import { api, useCall, useWrite } from '../../../core/api.ts'
import { link } from '../../../core/links.ts'
import { useTextOf } from '../../../i18n/use-text-of.ts'
import { useQuestion } from '../../../ui/dialog/question.ts'
import { useFormPlace } from '../../../ui/form/form-places.ts'

/** The pages of each step: of a new version, and of one that is there. */
const stepPages = {
  create: ['osIssueIssueCreateOs', 'osIssueIssueCreateOsEdit'],
  upload: ['osIssueUploadOs', 'osIssueUploadOsEdit'],
  release: ['osIssueReleaseOs', 'osIssueReleaseOsEdit'],
  complete: ['osIssueCompleteOs', 'osIssueCompleteOsEdit'],
} as const satisfies Record<OsStep, readonly [PageName, PageName]>

/** Where a step of a version is done. The first step of one that is there is always its edit page. */
export function stepAddress(step: OsStep, kid: string, is_edit: boolean): string {
  if (step === 'create') return link.osIssueIssueCreateOsEdit.to({ kid })
  return link[stepPages[step][is_edit ? 1 : 0]].to({ kid })
}

/** A step of a version: what it is of, and the ways out of it. */
export function useStep(step: OsStep) {
  useFormPlace()
  const { t } = useTranslation('os-version')
  const textOf = useTextOf()
  const navigate = useNavigate()
  const kid = useSearchParams()[0].get('kid') ?? ''
  const is_edit = useLocation().pathname === pages[stepPages[step][1]].path
  const query = useCall(api.opsOsVersion.get, { kid }, { enabled: kid !== '' })
  const version = query.data
  const ask = useQuestion((s) => s.ask)
  const discard = useWrite(api.opsOsVersion.discard_step)
  const at = osSteps.indexOf(step)
  /** A version that is not out goes through all steps; of one that is, a step is changed by itself. */
  const in_wizard = step === 'create' ? kid === '' || isCourse(version) : isCourse(version)
  const goTo = (to: OsStep | undefined, of: string) =>
    void navigate(to ? stepAddress(to, of, is_edit) : link.osIssueOsDetail.to({ kid: of }))
  /** What this step holds is gone then; nothing was kept of the last one. */
  const previous = async () => {
    const before = osSteps[at - 1]
    if (!before) return
    const lost = step === 'upload' ? (version?.packages.length ?? 0) > 0 : step === 'release' && version?.audience
    if (lost && (step === 'upload' || step === 'release')) {
      const is_yes = await ask({
        title: t('previous.title'),
        text: t(step === 'upload' ? 'previous.upload' : 'previous.release'),
        yes: t('previous.yes'),
        no: t('previous.no'),
        is_danger: true,
      })
      if (!is_yes || !(await discard.run({ kid, step }))) return
    }
    goTo(before, kid)
  }
  return {
    kid,
    version,
    query,
    in_wizard,
    title: textOf(pages[stepPages[step][is_edit ? 1 : 0]].title),
    next: () => goTo(in_wizard ? osSteps[at + 1] : undefined, kid),
    nextOf: (of: string) => goTo(in_wizard ? osSteps[at + 1] : undefined, of),
    leave: () => void navigate(kid ? link.osIssueOsDetail.to({ kid }) : link.osIssue.to()),
    previous: in_wizard && at > 0 ? { text: t('previous.button'), onClick: () => void previous() } : undefined,
  }
}
const isCourse = (version: OsVersionDetail | undefined): boolean =>
  version?.state === 'draft' || version?.state === 'offline'

/** Where one is on the way. */
export function StepsLine({ step }: { step: OsStep }) {
  const { t } = useTranslation('os-version')
  return (
    <Steps
      size="small"
      current={osSteps.indexOf(step)}
      items={osSteps.map((key) => ({ key, title: t(`step.${key}`) }))}
    />
  )
}
