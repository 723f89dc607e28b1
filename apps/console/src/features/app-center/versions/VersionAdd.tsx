import { Alert, Checkbox, Input, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import type { AppDetails } from '@mdm/contract'
import { api, useCall, useWrite } from '../../../core/api.ts'
import { FormSection } from '../../../shared/accounts/FormSection.tsx'
import { listText } from '../../../i18n/list-text.ts'
import { useCount } from '../../../ui/value/format.ts'
import { useRequiredOn } from '../../app-requirement/public.ts'
import { Failure } from '../../../ui/Failure.tsx'
import { Field, FormPage } from '../../../ui/form/form.tsx'
import { SwitchField } from '../../../ui/form/SwitchField.tsx'
import { MissingFacts, PackageInput } from './PackageInput.tsx'
import { appSides } from '../sides.ts'
import type { AppSide, SideProps } from '../sides.ts'
import { usePackage } from './use-package.ts'
import '../app-center.css'

export function VersionAdd({ side }: SideProps) {
  const [search] = useSearchParams()
  const kid = search.get('kid') ?? ''
  const query = useCall(appSides[side].calls.get, { kid })
  if (query.error) return <Failure error={query.error} retry={query.refetch} />
  return query.data ? <Add key={kid} side={side} app={query.data} /> : <Skeleton active />
}

type Values = {
  version_name?: string
  version_code?: number
  notes?: string
  is_offered?: boolean
  is_signer_accepted?: boolean
}
function Add({ side, app }: { side: AppSide; app: AppDetails }) {
  const { t } = useTranslation(['app-center', 'app-requirement'])
  const count = useCount()
  const { newest } = useRequiredOn(side === 'account' ? app.kid : undefined)
  const navigate = useNavigate()
  const { calls, links } = appSides[side]
  const { state, choose } = usePackage(side, app.kid)
  const [fault, setFault] = useState<string>()
  const add = useWrite(calls.insert_version, { done: t('version.added') })
  const read = state.step === 'read' ? state : undefined
  const back = () => void navigate(links.details.to({ kid: app.kid }))
  const submit = async (values: Values) => {
    setFault(read ? undefined : t('package.required'))
    if (!read) throw new Error('no package')
    await add.mutateAsync({ ...values, app_kid: app.kid, upload_kid: read.upload_kid })
  }
  return (
    <FormPage<Values>
      title={t('version.add_to', { name: app.name })}
      submit={t('version.add')}
      initial={{ is_offered: true, is_signer_accepted: false }}
      loading={add.isPending}
      submitError={add.error}
      onSubmit={submit}
      onDone={back}
      onCancel={back}
    >
      <FormSection title={t('section.package')} hint={t('section.version_hint', { package: app.package })}>
        <PackageInput state={state} onChoose={(file) => void choose(file)} fault={fault} />
        {read && (
          // A package that does not say its name is taken for one of this app.
          <MissingFacts missing={read.inspected.missing.filter((name) => name !== 'package')} />
        )}
        {read?.inspected.app?.signer_differs && (
          <div className="is-wide">
            <Alert type="warning" showIcon title={t('version.signer_differs')} />
            <Field name="is_signer_accepted" valuePropName="checked">
              <Checkbox>{t('version.accept_signer')}</Checkbox>
            </Field>
          </div>
        )}
        <SwitchField
          name="is_offered"
          label={t('version.offer_now')}
          extra={t('version.offer_now_hint')}
          className="is-wide"
        />
        {newest.count > 0 && (
          <p className="is-wide dim">
            {t('app-requirement:required_on.newest', {
              count: newest.devices,
              groups: listText(newest.groups),
              shown: count(newest.devices),
            })}
          </p>
        )}
        <Field name="notes" label={t('fact.notes')} className="is-wide" schema={api.appCenter.insert_version.input}>
          <Input.TextArea rows={4} />
        </Field>
      </FormSection>
    </FormPage>
  )
}
