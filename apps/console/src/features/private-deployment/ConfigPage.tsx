import { DownloadOutlined } from '@ant-design/icons'
import { Button, Form, Input, InputNumber, Radio } from 'antd'
import { useTranslation } from 'react-i18next'
import { constants, pages, propertiesFile, propertiesOf, ServerAddress, urlFile, urlJsonOf } from '@mdm/contract'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { saveText } from '../../core/save-blob.ts'
import { Field } from '../../ui/form/form.tsx'
import { pageIcon } from '../../ui/icons.tsx'
import { PageHead } from '../../ui/PageHead.tsx'
import { CodeBlock } from '../../ui/value/CodeBlock.tsx'
import './private-deployment.css'

type Values = { scheme: 'http' | 'https'; host: string; port: number | null }
const ports = { http: constants.private_ports.http, https: constants.private_ports.https }
/** What a person pastes may be the whole address already. */
const partsOf = (text: string): Partial<Values> | undefined => {
  const found = /^(https?):\/\/([^/:\s]+|\[[0-9a-f:]+\])(?::(\d+))?\/?$/i.exec(text.trim())
  if (!found) return undefined
  const scheme = found[1]!.toLowerCase() as Values['scheme']
  return { scheme, host: found[2]!, port: found[3] ? Number(found[3]) : ports[scheme] }
}
const addressOf = ({ scheme, host, port }: Partial<Values>): string | undefined =>
  ServerAddress.safeParse(`${scheme}://${host?.trim()}:${port}`).data

/** Writes the files that devices and consoles of a private deployment read. */
export default function ConfigPage() {
  const { t } = useTranslation('private-deployment')
  const textOf = useTextOf()
  const [form] = Form.useForm<Values>()
  const typed = Form.useWatch([], form) as Values | undefined
  const address = typed && addressOf(typed)
  return (
    <section className="detail-page">
      <PageHead title={textOf(pages.privatizationConfig.title)} icon={pageIcon('privatizationConfig')} />
      <div className="detail-body private-config">
        <section aria-label={t('config.address')}>
          <h2>{t('config.address')}</h2>
          <p className="dim">{t('config.address_hint')}</p>
          <Form<Values>
            form={form}
            layout="vertical"
            className="private-address"
            requiredMark={false}
            initialValues={{ scheme: 'https', host: '', port: ports.https }}
            onValuesChange={(changed: Partial<Values>) => {
              if (changed.scheme) form.setFieldsValue({ port: ports[changed.scheme] })
              const whole = changed.host === undefined ? undefined : partsOf(changed.host)
              if (whole) form.setFieldsValue(whole)
            }}
          >
            <Field name="scheme" label={t('config.scheme')}>
              <Radio.Group optionType="button" options={['https', 'http'].map((value) => ({ value, label: value }))} />
            </Field>
            <Field
              name="host"
              label={t('config.host')}
              rules={[
                { required: true, message: t('config.host_missing') },
                { pattern: /^([^\s/?#@\\:]+|\[[0-9a-fA-F:]+\])$/, message: t('config.host_wrong') },
              ]}
            >
              <Input className="code" autoFocus autoComplete="off" placeholder="mdm.example.com" maxLength={240} />
            </Field>
            <Field name="port" label={t('config.port')} rules={[{ required: true, message: t('config.port_missing') }]}>
              <InputNumber min={1} max={65_535} precision={0} controls={false} />
            </Field>
          </Form>
        </section>
        <FileSection
          name={propertiesFile}
          hint={t('config.properties_hint')}
          content={address && propertiesOf(address)}
        />
        <FileSection name={urlFile} hint={t('config.url_hint')} content={address && urlJsonOf(address)} />
      </div>
    </section>
  )
}

function FileSection({ name, hint, content }: { name: string; hint: string; content: string | undefined }) {
  const { t } = useTranslation('private-deployment')
  return (
    <section>
      <header className="activation-head">
        <h2 className="code">{name}</h2>
        <Button
          icon={<DownloadOutlined aria-hidden />}
          disabled={content === undefined}
          title={content === undefined ? t('config.no_address') : undefined}
          onClick={() => content !== undefined && saveText(name, content)}
        >
          {t('config.download', { name })}
        </Button>
      </header>
      <p className="dim">{hint}</p>
      <CodeBlock label={name} text={content ?? t('config.no_address')} />
    </section>
  )
}
