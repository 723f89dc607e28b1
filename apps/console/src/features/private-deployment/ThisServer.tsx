import { UploadOutlined } from '@ant-design/icons'
import { Button, Input, Skeleton } from 'antd'
import { useRef } from 'react'
import type { ReactNode } from 'react'
import { Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { constants, pages } from '@mdm/contract'
import type { OwnActivation } from '@mdm/contract'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { api, useCall, useWrite } from '../../core/api.ts'
import { May, refreshSession } from '../../core/session.tsx'
import { listText } from '../../i18n/list-text.ts'
import { Properties } from '../../ui/DetailPage.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import { Failure } from '../../ui/Failure.tsx'
import { Field, FormDrawer } from '../../ui/form/form.tsx'
import { pageIcon } from '../../ui/icons.tsx'
import { PageHead } from '../../ui/PageHead.tsx'
import { useCount } from '../../ui/value/format.ts'
import { CopyId, DateTime, Duration } from '../../ui/value/values.tsx'
import { OwnBadge } from './badges.tsx'
import './private-deployment.css'

/** How this server stands, where it is one at a customer; the receipt for the provider. */
export function ThisServer({ choice }: { choice: ReactNode }) {
  const { t } = useTranslation('private-deployment')
  const textOf = useTextOf()
  const { data, error, isPending, refetch } = useCall(api.opsActivation.this_server, {})
  const { is, open, close } = useDialog({ enter: 'activateList:activate' }, [])
  const is_needed = data !== undefined && data.state !== 'not_needed'
  return (
    <section className="detail-page">
      <PageHead
        title={textOf(pages.activateList.title)}
        icon={pageIcon('activateList')}
        aside={data && <OwnBadge state={data.state} />}
      >
        {choice}
        {is_needed && (
          <May needs="activateList:activate">
            <Button type="primary" onClick={() => open('enter')}>
              {t('enter.action')}
            </Button>
          </May>
        )}
      </PageHead>
      <div className="detail-body activation-detail">
        {error && <Failure error={error} retry={refetch} />}
        {isPending && <Skeleton active paragraph={{ rows: 8 }} />}
        {data && (data.state === 'not_needed' ? <p>{t('own_hint.not_needed')}</p> : <Standing of={data} />)}
      </div>
      {is('enter') && <EnterForm onClose={close} />}
    </section>
  )
}

function Standing({ of }: { of: OwnActivation }) {
  const { t } = useTranslation('private-deployment')
  const count = useCount()
  const limitOf = (limit: number | null) =>
    limit === null ? undefined : limit >= constants.unlimited_devices ? t('unlimited') : count(limit)
  const used = (taken: number, limit: number | null) =>
    limit === null ? count(taken) : t('used', { taken: count(taken), limit: limitOf(limit) })
  const is_good = of.state === 'active'
  return (
    <>
      <p className="activation-note" data-tone={is_good ? undefined : 'bad'} role="status">
        {t(`own_hint.${of.state}`)}
      </p>
      {of.is_renewed && (
        <p className="activation-note" data-tone="bad" role="status">
          {t('renewed_here')}
        </p>
      )}
      {of.clock_back_ms > 0 && (
        <p className="activation-note" data-tone="bad" role="status">
          {t('clock_back')} <Duration seconds={Math.round(of.clock_back_ms / 1_000)} />
        </p>
      )}
      <Properties
        of={[
          { label: t('name'), value: of.name },
          { label: t('ends'), value: <DateTime at={of.ends_at} /> },
          { label: t('customers'), value: used(of.accounts, of.max_accounts) },
          { label: t('devices'), value: used(of.devices, of.max_devices) },
          { label: t('entered'), value: <DateTime at={of.entered_at} /> },
          { label: t('starts'), value: <DateTime at={of.starts_at} /> },
          { label: t('own_macs'), value: <span className="code">{listText(of.macs)}</span>, is_wide: true },
          {
            label: t('code_macs'),
            value:
              of.ends_at === null ? undefined : of.code_macs.length > 0 ? (
                <span className="code">{listText(of.code_macs)}</span>
              ) : (
                t('any_machine')
              ),
            is_wide: true,
          },
        ]}
      />
      {of.receipt && (
        <section aria-label={t('receipt')}>
          <h3>{t('receipt')}</h3>
          <p className="dim">{t(of.can_report ? 'receipt_sent' : 'receipt_hint')}</p>
          <p className="activation-receipt">
            <CopyId value={of.receipt} />
          </p>
          {of.can_report && (
            <Properties
              of={[
                { label: t('told_at'), value: <DateTime at={of.reported_at} /> },
                { label: t('told_error'), value: of.report_error },
              ]}
            />
          )}
        </section>
      )}
    </>
  )
}

function EnterForm({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('private-deployment')
  const [form] = Form.useForm<{ code_token: string }>()
  const picker = useRef<HTMLInputElement>(null)
  const activate = useWrite(api.opsActivation.activate, {
    done: t('enter.done'),
    onSuccess: () => void refreshSession(),
  })
  const take = async (file: File | undefined) => {
    if (file) form.setFieldsValue({ code_token: (await file.slice(0, 10_000).text()).trim() })
  }
  return (
    <FormDrawer<{ code_token: string }>
      title={t('enter.title')}
      submit={t('enter.submit')}
      form={form}
      width={560}
      initial={{ code_token: '' }}
      loading={activate.isPending}
      submitError={activate.error}
      onSubmit={(values) => activate.mutateAsync(values)}
      onDone={onClose}
      onClose={onClose}
    >
      <Field
        name="code_token"
        label={t('code.title')}
        extra={t('enter.hint')}
        schema={api.opsActivation.activate.input}
      >
        <Input.TextArea className="code" autoFocus spellCheck={false} autoSize={{ minRows: 6, maxRows: 14 }} />
      </Field>
      <input
        ref={picker}
        type="file"
        hidden
        aria-hidden
        tabIndex={-1}
        onChange={({ target }) => {
          void take(target.files?.[0])
          target.value = ''
        }}
      />
      <Button icon={<UploadOutlined aria-hidden />} onClick={() => picker.current?.click()}>
        {t('enter.file')}
      </Button>
    </FormDrawer>
  )
}
