import { Input, Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import type { AppVersion } from '@mdm/contract'
import { api, useCall, useWrite } from '../../../core/api.ts'
import { FormSection } from '../../../shared/accounts/FormSection.tsx'
import { Properties } from '../../../ui/DetailPage.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { Field, FormPage } from '../../../ui/form/form.tsx'
import { useFacts } from './PackageInput.tsx'
import { appSides } from '../sides.ts'
import type { AppSide, SideProps } from '../sides.ts'
import '../app-center.css'

export function VersionEdit({ side }: SideProps) {
  const [search] = useSearchParams()
  const kid = search.get('kid') ?? ''
  const query = useCall(appSides[side].calls.get_version, { kid })
  if (query.error) return <Failure error={query.error} retry={query.refetch} />
  return query.data ? <Edit key={kid} side={side} version={query.data} /> : <Skeleton active />
}

type Values = { notes: string; version_name?: string }
function Edit({ side, version }: { side: AppSide; version: AppVersion }) {
  const { t } = useTranslation('app-center')
  const navigate = useNavigate()
  const { calls, links } = appSides[side]
  const facts = useFacts(version)
  const update = useWrite(calls.update_version, { done: t('version.saved') })
  const back = () => void navigate(links.details.to({ kid: version.app_kid }))
  const { input } = api.appCenter.update_version
  return (
    <FormPage<Values>
      title={t('version.edit_title', { version: version.version_name })}
      submit={t('version.save')}
      initial={{ notes: version.notes, ...(version.is_typed && { version_name: version.version_name }) }}
      loading={update.isPending}
      submitError={update.error}
      onSubmit={(values) => update.mutateAsync({ ...values, kid: version.kid })}
      onDone={back}
      onCancel={back}
    >
      <FormSection title={t('section.version')}>
        <div className="is-wide">
          <Properties of={facts} />
        </div>
        {version.is_typed && (
          <Field name="version_name" label={t('fact.version_name')} schema={input}>
            <Input />
          </Field>
        )}
        <Field name="notes" label={t('fact.notes')} className="is-wide" schema={input}>
          <Input.TextArea autoFocus rows={5} />
        </Field>
      </FormSection>
    </FormPage>
  )
}
