import { InputNumber, Radio, Skeleton, Switch } from 'antd'
import { useTranslation } from 'react-i18next'
import { remoteConsents } from '@mdm/contract'
import type { Sent } from '@mdm/contract'
import { api, useCall, useWrite } from '../../../core/api.ts'
import { Drawer } from '../../../ui/dialog/Drawer.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { Field, FormDrawer } from '../../../ui/form/form.tsx'

const schema = api.terminalRemote.update_settings.input
const gigabyte = 1024 ** 3
type Values = Sent<typeof api.terminalRemote.update_settings>
/** Nobody counts a quota in bytes. */
type Typed = Omit<Values, 'recording_bytes'> & { recording_gb: number }

/** How people of the account may open its devices. */
export function SettingsDrawer({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('remote')
  const query = useCall(api.terminalRemote.settings, {})
  if (!query.data)
    return (
      <Drawer size={560} title={t('settings.title')} onClose={onClose}>
        {query.error ? <Failure error={query.error} retry={query.refetch} /> : <Skeleton active />}
      </Drawer>
    )
  return <SettingsForm of={query.data} onClose={onClose} />
}

function SettingsForm({ of, onClose }: { of: Values; onClose: () => void }) {
  const { t } = useTranslation(['remote', 'common'])
  const write = useWrite(api.terminalRemote.update_settings, { done: t('settings.saved') })
  const { recording_bytes, ...rest } = of
  return (
    <FormDrawer<Typed>
      width={560}
      title={t('settings.title')}
      submit={t('settings.save')}
      initial={{ ...rest, recording_gb: Math.round((recording_bytes / gigabyte) * 100) / 100 }}
      loading={write.isPending}
      submitError={write.error}
      onSubmit={({ recording_gb, ...values }) =>
        write.mutateAsync({ ...values, recording_bytes: Math.round(recording_gb * gigabyte) })
      }
      onDone={onClose}
      onClose={onClose}
    >
      <Field name="consent" label={t('column.consent')} schema={schema}>
        <Radio.Group className="remote-choices">
          {remoteConsents.map((value) => (
            <Radio key={value} value={value}>
              {t(`consent.${value}`)}
              <span className="dim remote-choice-hint">{t(`consent_hint.${value}`)}</span>
            </Radio>
          ))}
        </Radio.Group>
      </Field>
      <Field
        name="clipboard"
        label={t('settings.clipboard')}
        extra={t('settings.clipboard_hint')}
        valuePropName="checked"
      >
        <Switch />
      </Field>
      <Field name="terminal" label={t('settings.terminal')} extra={t('settings.terminal_hint')} valuePropName="checked">
        <Switch />
      </Field>
      <Field
        name="record_desktop"
        label={t('settings.record_desktop')}
        extra={t('settings.record_desktop_hint')}
        valuePropName="checked"
      >
        <Switch />
      </Field>
      <Field
        name="recording_days"
        label={t('settings.recording_days')}
        extra={t('settings.recording_days_hint')}
        schema={schema}
      >
        <InputNumber min={1} max={365} precision={0} suffix={t('settings.days')} />
      </Field>
      <Field
        name="recording_gb"
        label={t('settings.recording_bytes')}
        extra={t('settings.recording_bytes_hint')}
        rules={[{ required: true, message: t('common:invalid.required') }]}
      >
        <InputNumber min={0} max={1_000_000} suffix="GB" />
      </Field>
    </FormDrawer>
  )
}
