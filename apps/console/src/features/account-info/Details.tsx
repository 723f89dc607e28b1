import { Button, Input } from 'antd'
import { useTranslation } from 'react-i18next'
import { listText } from '../../i18n/list-text.ts'
import { api, useWrite } from '../../core/api.ts'
import { useBelonging } from '../../shared/accounts/BelongingSection.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import { Properties } from '../../ui/DetailPage.tsx'
import { Field, FormDrawer } from '../../ui/form/form.tsx'
import { DateTime } from '../../ui/value/values.tsx'
import { refreshSession } from '../../core/session.tsx'
import type { Info } from './AccountInfoPage.tsx'
import { Part } from './Part.tsx'

const typeKeys = { 1: 'type_1', 2: 'type_2', 3: 'type_3', 101: 'type_101' } as const

export function Details({ info }: { info: Info }) {
  const { t } = useTranslation('account-info')
  const dialog = useDialog({ details: 'signed_in' }, [])
  const belonging = useBelonging(info)
  const type = typeKeys[info.type as keyof typeof typeKeys]
  return (
    <Part title={t('part.details')} actions={<Button onClick={() => dialog.open('details')}>{t('edit')}</Button>}>
      <Properties
        of={[
          { label: t('username'), value: info.username },
          { label: t('name'), value: info.name },
          { label: t('phone'), value: info.phone },
          { label: t('email'), value: info.email },
          { label: t('wechat'), value: info.wechat },
          { label: t('organization'), value: info.organization_name },
          { label: t('type'), value: type && t(type) },
          { label: t('roles'), value: listText(info.roles) },
          { label: t('last_use'), value: <DateTime at={info.last_use_at} /> },
          ...belonging,
        ]}
      />
      {dialog.is('details') && <EditDetails info={info} onClose={dialog.close} />}
    </Part>
  )
}

type Values = { name: string; phone: string | null; email: string | null; wechat: string | null }
const schema = api.account.update_info.input

function EditDetails({ info, onClose }: { info: Info; onClose: () => void }) {
  const { t } = useTranslation('account-info')
  const save = useWrite(api.account.update_info, { done: t('details_saved'), onSuccess: () => void refreshSession() })
  const { name, phone, email, wechat } = info
  return (
    <FormDrawer<Values>
      title={t('edit')}
      submit={t('details_save')}
      initial={{ name, phone, email, wechat }}
      loading={save.isPending}
      submitError={save.error}
      onSubmit={(values) => save.mutateAsync({ ...values, wechat: values.wechat || null })}
      onDone={onClose}
      onClose={onClose}
    >
      <Field name="name" label={t('name')} schema={schema}>
        <Input autoFocus autoComplete="name" />
      </Field>
      <Field name="phone" label={t('phone')} schema={schema}>
        <Input type="tel" autoComplete="tel" />
      </Field>
      <Field name="email" label={t('email')} extra={t('email_hint')} schema={schema}>
        <Input type="email" autoComplete="email" />
      </Field>
      <Field name="wechat" label={t('wechat')} schema={schema}>
        <Input autoComplete="off" />
      </Field>
    </FormDrawer>
  )
}
