import { Input } from 'antd'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { constants, pages } from '@mdm/contract'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { api, useWrite } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { Field, FormPage } from '../../ui/form/form.tsx'
import { pageIcon } from '../../ui/icons.tsx'
import { TermFields } from './terms.tsx'
import type { Terms } from './terms.tsx'

type Values = Terms & { name: string; remark: string }
const schema = api.opsActivation.insert.input
const year_ms = 365 * 86_400_000

/** Issues a code, and shows it in the list. */
export default function GeneratePage() {
  const { t } = useTranslation('private-deployment')
  const textOf = useTextOf()
  const navigate = useNavigate()
  const insert = useWrite(api.opsActivation.insert, { done: t('issued') })
  const made = useRef<string>(undefined)
  return (
    <FormPage<Values>
      title={textOf(pages.privatizationGenerate.title)}
      icon={pageIcon('activateList')}
      submit={t('issue')}
      initial={{
        name: '',
        max_accounts: constants.private_accounts,
        max_devices: 100,
        macs: [],
        ends_at: new Date(Date.now() + year_ms).toISOString(),
        remark: '',
      }}
      loading={insert.isPending}
      submitError={insert.error}
      onSubmit={async (values) => {
        made.current = (await insert.mutateAsync(values)).kid
      }}
      onDone={() => void navigate(link.activateList.to({ dialog: 'show', of: made.current }))}
      onCancel={() => void navigate(link.activateList.to())}
    >
      <Field name="name" label={t('name')} extra={t('name_hint')} schema={schema}>
        <Input autoFocus autoComplete="off" />
      </Field>
      <TermFields />
      <Field name="remark" label={t('remark')} schema={schema}>
        <Input.TextArea autoSize={{ minRows: 2, maxRows: 6 }} />
      </Field>
    </FormPage>
  )
}
