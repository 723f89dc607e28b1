import { DeleteOutlined, PlusOutlined, UploadOutlined } from '@ant-design/icons'
import { Button, Form, Input, Segmented, Select, Switch } from 'antd'
import { useId, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import * as z from 'zod'
import { provisioning_wifi_security, Provisioning, ProvisioningWifi } from '@mdm/contract'
import type { EnrolmentApk } from '@mdm/contract'
import { api, useCall } from '../../../core/api.ts'
import { GroupPicker } from '../../../shared/groups/GroupPicker.tsx'
import { ConfirmWrite } from '../../../ui/dialog/ConfirmWrite.tsx'
import { Field } from '../../../ui/form/form.tsx'
import { Bytes, DateTime } from '../../../ui/value/values.tsx'
import { zodRules } from '../../../ui/form/zod-rules.ts'
import { ZoneSelect } from '../../../ui/form/ZoneSelect.tsx'
import type { ApkSource, GmsDraft } from './gms-draft.ts'
import { useCodeOptions } from './PermanentPanel.tsx'

type Props = { draft: GmsDraft }
const required = z.string().trim().min(1)

function Part({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  const id = useId()
  return (
    <section className="gms-part" aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      {hint && <p className="dim">{hint}</p>}
      {children}
    </section>
  )
}

export function AgentFields({ draft }: Props) {
  const { t } = useTranslation('devices/enrolment')
  const kept = useCall(api.terminalQrcode.list_apk, {}).data ?? []
  const sources: ApkSource[] = kept.length > 0 ? ['kept', 'upload', 'url'] : ['upload', 'url']
  const labels = { kept: t('gms.source_kept'), upload: t('gms.source_upload'), url: t('gms.source_url') }
  return (
    <Part title={t('gms.agent')} {...(draft.agent_kind !== 'mdm' && { hint: t(`gms.hints.${draft.agent_kind}`) })}>
      <Field name="component_name" label={t('gms.component')} extra={t('gms.component_hint')} schema={Provisioning}>
        <Input
          className="code"
          autoFocus
          autoComplete="off"
          spellCheck={false}
          placeholder="com.example.agent/.Admin"
        />
      </Field>
      <Field name="source" label={t('gms.source')}>
        <Segmented<ApkSource> options={sources.map((value) => ({ value, label: labels[value] }))} />
      </Field>
      {draft.source === 'kept' && <KeptApk kept={kept} chosen={draft.apk_kid} />}
      {draft.source === 'upload' && (
        <Field
          name="file"
          label={t('gms.file')}
          rules={[
            {
              required: true,
              validator: (_rule, file: unknown) =>
                file instanceof File ? Promise.resolve() : Promise.reject(new Error(t('gms.file_required'))),
            },
          ]}
        >
          <FileChoice />
        </Field>
      )}
      {draft.source === 'url' && (
        <>
          <Field
            name="download_url"
            label={t('gms.url')}
            extra={t('gms.url_hint')}
            rules={[...zodRules(required), ...zodRules(Provisioning, 'download_url')]}
          >
            <Input autoComplete="off" spellCheck={false} placeholder="https://" />
          </Field>
          <Field
            name="signature_checksum"
            label={t('gms.checksum')}
            extra={t('gms.checksum_hint')}
            rules={[...zodRules(required), ...zodRules(Provisioning, 'signature_checksum')]}
          >
            <Input className="code" autoComplete="off" spellCheck={false} />
          </Field>
        </>
      )}
    </Part>
  )
}

function KeptApk({ kept, chosen }: { kept: readonly EnrolmentApk[]; chosen: string | undefined }) {
  const { t } = useTranslation('devices/enrolment')
  const form = Form.useFormInstance<GmsDraft>()
  const [is_deleting, setDeleting] = useState(false)
  const apk = kept.find(({ kid }) => kid === chosen)
  return (
    <>
      <div className="gms-kept">
        <Field name="apk_kid" label={t('gms.kept')} rules={zodRules(required)}>
          <Select
            options={kept.map(({ kid, name, size, created_at }) => ({
              value: kid,
              label: (
                <>
                  {name} <DateTime at={created_at} /> <Bytes value={size} />
                </>
              ),
            }))}
          />
        </Field>
        {apk && (
          <Button
            icon={<DeleteOutlined aria-hidden />}
            aria-label={t('gms.delete')}
            onClick={() => setDeleting(true)}
          />
        )}
      </div>
      {is_deleting && apk && (
        <ConfirmWrite
          call={api.terminalQrcode.delete_apk}
          input={{ kid: apk.kid }}
          title={t('gms.delete_title', { name: apk.name })}
          submit={t('gms.delete')}
          done={t('gms.delete_done')}
          onDone={() => form.setFieldValue('apk_kid', undefined)}
          onClose={() => setDeleting(false)}
        >
          <p>{t('gms.delete_text')}</p>
        </ConfirmWrite>
      )}
    </>
  )
}

type FileChoiceProps = { id?: string; value?: File; onChange?: (file: File) => void }
/** `Field` gives the three. */
function FileChoice({ id, value, onChange }: FileChoiceProps) {
  const { t } = useTranslation('devices/enrolment')
  const input = useRef<HTMLInputElement>(null)
  return (
    <div className="gms-file">
      <Button id={id} icon={<UploadOutlined aria-hidden />} onClick={() => input.current?.click()}>
        {t('gms.choose')}
      </Button>
      {value && (
        <span>
          {value.name} <Bytes value={value.size} />
        </span>
      )}
      <input
        ref={input}
        type="file"
        hidden
        accept=".apk,application/vnd.android.package-archive"
        aria-label={t('gms.file')}
        onChange={(event) => {
          const [file] = event.target.files ?? []
          if (file) onChange?.(file)
          event.target.value = ''
        }}
      />
    </div>
  )
}

export function RegistrationFields({ draft }: Props) {
  const { t } = useTranslation('devices/enrolment')
  const codes = useCodeOptions()
  return (
    <Part title={t('gms.registration')}>
      <Field name="qrcode_kid" label={t('gms.code')}>
        <Select options={codes} />
      </Field>
      {draft.qrcode_kid === '' && (
        <Field name="terminal_group_kid" label={t('permanent.group')}>
          <GroupPicker special={['NO_GROUP']} />
        </Field>
      )}
      <Field name="host" label={t('host')} extra={t('host_hint')} schema={Provisioning}>
        <Input autoComplete="off" spellCheck={false} />
      </Field>
    </Part>
  )
}

export function NetworkFields({ draft }: Props) {
  const { t } = useTranslation('devices/enrolment')
  const { security_type } = draft.wifi
  return (
    <Part title={t('gms.network')}>
      <Toggle name="has_wifi" label={t('gms.has_wifi')} />
      {draft.has_wifi && (
        <>
          <Field name={['wifi', 'ssid']} label={t('gms.ssid')} rules={zodRules(ProvisioningWifi, 'ssid')}>
            <Input autoComplete="off" spellCheck={false} />
          </Field>
          <Field name={['wifi', 'security_type']} label={t('gms.security')}>
            <Segmented
              options={provisioning_wifi_security.map((value) => ({
                value,
                label: value === 'NONE' ? t('gms.security_none') : value,
              }))}
            />
          </Field>
          {security_type !== 'NONE' && (
            <Field
              name={['wifi', 'password']}
              label={t('gms.password')}
              extra={t('gms.password_hint')}
              rules={zodRules(
                z
                  .string()
                  .min(security_type === 'WPA' ? 8 : 5)
                  .max(64),
              )}
            >
              <Input.Password autoComplete="off" />
            </Field>
          )}
          <Toggle name={['wifi', 'is_hidden']} label={t('gms.hidden')} />
        </>
      )}
      <Toggle name="use_mobile_data" label={t('gms.mobile')} />
    </Part>
  )
}

export function DeviceFields() {
  const { t } = useTranslation('devices/enrolment')
  return (
    <Part title={t('gms.device')}>
      <Field name="locale" label={t('gms.locale')} extra={t('gms.locale_hint')} schema={Provisioning}>
        <Input autoComplete="off" spellCheck={false} placeholder={t('gms.unset')} />
      </Field>
      <Field name="time_zone" label={t('gms.zone')}>
        <ZoneSelect allowClear placeholder={t('gms.unset')} />
      </Field>
      <Toggle name="leave_all_system_apps_enabled" label={t('gms.system_apps')} />
    </Part>
  )
}

/** A switch with its words beside it. */
function Toggle({ name, label }: { name: string | string[]; label: string }) {
  const id = useId()
  return (
    <div className="gms-toggle">
      <Form.Item name={name} valuePropName="checked" noStyle>
        <Switch id={id} size="small" />
      </Form.Item>
      <label htmlFor={id}>{label}</label>
    </div>
  )
}

const whole = /^-?\d{1,15}$/

export function ExtraFields({ draft }: Props) {
  const { t } = useTranslation('devices/enrolment')
  const kinds = [
    { value: 'text', label: t('gms.kind_text') },
    { value: 'number', label: t('gms.kind_number') },
    { value: 'yes_no', label: t('gms.kind_yes_no') },
  ]
  const once = (at: number) => ({
    validator: (_rule: unknown, key: unknown) =>
      draft.extras.some((extra, other) => other < at && extra?.key?.trim() === String(key ?? '').trim())
        ? Promise.reject(new Error(t('gms.twice')))
        : Promise.resolve(),
  })
  return (
    <Part title={t('gms.extras')} hint={t('gms.extras_hint')}>
      <Form.List name="extras">
        {(fields, { add, remove }) => (
          <>
            {fields.map(({ key, name }) => {
              const kind = draft.extras[name]?.kind ?? 'text'
              return (
                <div key={key} className="gms-extra">
                  <Field
                    name={[name, 'key']}
                    rules={[...zodRules(z.string().regex(/^\s*[\w.:-]{1,100}\s*$/)), once(name)]}
                  >
                    <Input className="code" aria-label={t('gms.key')} placeholder={t('gms.key')} autoComplete="off" />
                  </Field>
                  <Field name={[name, 'kind']}>
                    <Select aria-label={t('gms.kind')} options={kinds} />
                  </Field>
                  {kind === 'yes_no' ? (
                    <Field name={[name, 'value']}>
                      <Select
                        aria-label={t('gms.value')}
                        options={[
                          { value: true, label: t('gms.yes') },
                          { value: false, label: t('gms.no') },
                        ]}
                      />
                    </Field>
                  ) : (
                    <Field
                      name={[name, 'value']}
                      rules={
                        kind === 'number'
                          ? [{ required: true, pattern: whole, message: t('gms.number_wrong') }]
                          : zodRules(z.string().max(1000))
                      }
                    >
                      <Input aria-label={t('gms.value')} placeholder={t('gms.value')} autoComplete="off" />
                    </Field>
                  )}
                  <Button
                    type="text"
                    icon={<DeleteOutlined aria-hidden />}
                    aria-label={t('gms.remove')}
                    onClick={() => remove(name)}
                  />
                </div>
              )
            })}
            <Button icon={<PlusOutlined aria-hidden />} onClick={() => add({ key: '', kind: 'text' })}>
              {t('gms.add')}
            </Button>
          </>
        )}
      </Form.List>
    </Part>
  )
}
