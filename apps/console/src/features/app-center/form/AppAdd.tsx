import { Alert, Form, Input } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { api, useWrite } from '../../../core/api.ts'
import { may } from '../../../core/session.tsx'
import { FormSection } from '../../../shared/accounts/FormSection.tsx'
import { Field, FormPage } from '../../../ui/form/form.tsx'
import { SwitchField } from '../../../ui/form/SwitchField.tsx'
import { AppFields, sentPictures } from './AppFields.tsx'
import type { AppValues } from './AppFields.tsx'
import { MissingFacts, PackageInput } from '../versions/PackageInput.tsx'
import { appSides } from '../sides.ts'
import type { SideProps } from '../sides.ts'
import { usePackage } from '../versions/use-package.ts'
import '../app-center.css'

type Values = AppValues & {
  package?: string
  version_name?: string
  version_code?: number
  notes?: string
  is_listed?: boolean
}

/** A new app begins with its package, which says most of what there is to say. */
export function AppAdd({ side }: SideProps) {
  const { t } = useTranslation('app-center')
  const navigate = useNavigate()
  const { calls, links, needs } = appSides[side]
  const [form] = Form.useForm<Values>()
  const { state, choose } = usePackage(side)
  const [fault, setFault] = useState<string>()
  const [made, setMade] = useState<string | null>(null)
  const create = useWrite(calls.insert, { done: t('added'), onSuccess: ({ kid }) => setMade(kid) })
  const read = state.step === 'read' ? state : undefined
  const present = read?.inspected.app
  const onChoose = (file: File) =>
    void choose(file).then((inspected) => {
      const icon = inspected?.facts.icon
      if (!inspected) return
      form.setFieldsValue({
        ...(inspected.facts.label && !form.getFieldValue('name') && { name: inspected.facts.label }),
        ...(icon && !form.getFieldValue('icon')?.[0]?.upload_kid && { icon: [{ url: icon }] }),
      })
    })
  const submit = async (values: Values) => {
    setFault(read ? undefined : t('package.required'))
    if (!read) throw new Error('no package')
    const { icon, screenshots, category_kid, ...rest } = values
    await create.mutateAsync({
      ...rest,
      category_kid: category_kid ?? null,
      upload_kid: read.upload_kid,
      ...sentPictures({ ...(icon && { icon }), ...(screenshots && { screenshots }) }),
    })
  }
  const back = () => void navigate(made && may(needs.details) ? links.details.to({ kid: made }) : links.list.to())
  return (
    <FormPage<Values>
      form={form}
      title={t('add')}
      submit={t('add')}
      initial={{ is_system_signed: false, is_listed: false }}
      loading={create.isPending}
      submitError={create.error}
      onSubmit={submit}
      onDone={back}
      onCancel={back}
    >
      <FormSection title={t('section.package')} hint={t('section.package_hint')}>
        <PackageInput state={state} onChoose={onChoose} fault={fault} />
        {present && (
          <Alert
            className="is-wide"
            type="warning"
            showIcon
            title={t('package.taken', { name: present.name })}
            action={<Link to={links.add_version.to({ kid: present.kid })}>{t('version.add')}</Link>}
          />
        )}
        {read && <MissingFacts missing={read.inspected.missing} />}
        <Field name="notes" label={t('fact.notes')} className="is-wide" schema={api.appCenter.insert.input}>
          <Input.TextArea rows={2} />
        </Field>
        <SwitchField name="is_listed" label={t('form.list_now')} extra={t('form.list_now_hint')} className="is-wide" />
      </FormSection>
      <AppFields side={side} />
    </FormPage>
  )
}
