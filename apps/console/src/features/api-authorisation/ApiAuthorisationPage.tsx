import { FileSearchOutlined } from '@ant-design/icons'
import { Button, Form, Input, Progress, Skeleton } from 'antd'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import { api_limits, pages } from '@mdm/contract'
import type { ApiAuthorisationDetail, Out, Sent } from '@mdm/contract'
import { api, useCall, useWrite } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { listText } from '../../i18n/list-text.ts'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { useSending } from '../../shared/upload/use-sending.ts'
import { Failure } from '../../ui/Failure.tsx'
import { Field, FormPage } from '../../ui/form/form.tsx'
import { zodRules } from '../../ui/form/zod-rules.ts'
import { pageIcon } from '../../ui/icons.tsx'
import { MethodsField, oddMethods } from './MethodsField.tsx'
import { UidsSelect } from './UidsSelect.tsx'
import './api-authorisation.css'

type Draft = Sent<typeof api.opsOsMdmApi.insert>
const schema = api.opsOsMdmApi.insert.input

/** Adds an authorisation, perhaps as a copy of another, or edits the one that the address names. */
export default function ApiAuthorisationPage() {
  const [search] = useSearchParams()
  const kid = search.get('kid')
  const copy = search.get('copy')
  if (kid !== null) return <Edit key={kid} kid={kid} />
  return copy === null ? <Add /> : <Copy key={copy} kid={copy} />
}

function Add({ like }: { like?: ApiAuthorisationDetail }) {
  const { t } = useTranslation('api-authorisation')
  const insert = useWrite(api.opsOsMdmApi.insert, { done: t('added') })
  return <AuthorisationForm like={like} write={insert} onSubmit={(draft) => insert.mutateAsync(draft)} />
}

function Copy({ kid }: { kid: string }) {
  const query = useCall(api.opsOsMdmApi.get, { kid })
  if (query.error) return <Failure error={query.error} retry={query.refetch} />
  return query.data ? <Add like={query.data} /> : <Skeleton active />
}

function Edit({ kid }: { kid: string }) {
  const { t } = useTranslation('api-authorisation')
  const query = useCall(api.opsOsMdmApi.get, { kid })
  const update = useWrite(api.opsOsMdmApi.update, { done: t('saved') })
  if (query.error) return <Failure error={query.error} retry={query.refetch} />
  if (!query.data) return <Skeleton active />
  return (
    <AuthorisationForm
      like={query.data}
      is_edit
      write={update}
      onSubmit={(draft) => update.mutateAsync({ ...draft, kid })}
    />
  )
}

type Props = {
  like: ApiAuthorisationDetail | undefined
  is_edit?: boolean
  write: { isPending: boolean; error: ReturnType<typeof useWrite>['error'] }
  onSubmit: (draft: Draft) => unknown
}
function AuthorisationForm({ like, is_edit = false, write, onSubmit }: Props) {
  const { t } = useTranslation('api-authorisation')
  const textOf = useTextOf()
  const navigate = useNavigate()
  const [form] = Form.useForm<Draft>()
  const title = textOf(pages[is_edit ? 'osMdmApiEdit' : 'osMdmApiAdd'].title)
  const leave = () => void navigate(link.osMdmApiList.to())
  const initial: Partial<Draft> = like
    ? {
        package: like.package,
        cert_sha1: like.cert_sha1,
        uid_kids: like.uids.map((uid) => uid.kid),
        methods: like.methods,
        remark: like.remark,
      }
    : { package: '', cert_sha1: '', uid_kids: [], methods: [], remark: '' }
  return (
    <FormPage<Draft>
      title={title}
      submit={is_edit ? t('save') : title}
      icon={pageIcon('osMdmApiList')}
      form={form}
      initial={initial}
      loading={write.isPending}
      submitError={write.error}
      onSubmit={onSubmit}
      onDone={leave}
      onCancel={leave}
    >
      <CertificateReader
        onRead={({ package: name, signers: [cert_sha1] }) => {
          form.setFieldsValue({ ...(name !== null && { package: name }), ...(cert_sha1 && { cert_sha1 }) })
          void form.validateFields(['package', 'cert_sha1'])
        }}
      />
      <Field name="package" label={t('package')} schema={schema}>
        <Input autoComplete="off" spellCheck={false} placeholder="com.acme.till" />
      </Field>
      <Field name="cert_sha1" label={t('cert_sha1')} extra={t('cert_hint')} schema={schema}>
        <Input className="code" autoComplete="off" spellCheck={false} />
      </Field>
      <Field name="uid_kids" label={t('uids')} extra={t('uids_hint')} schema={schema}>
        <UidsSelect known={like?.uids ?? []} />
      </Field>
      <Field
        name="methods"
        label={t('methods')}
        extra={t('methods_hint')}
        rules={[
          {
            required: true,
            validator: (_, methods: string[] = []) => {
              const odd = oddMethods(methods)
              if (odd.length > 0) return Promise.reject(new Error(t('methods_odd', { list: listText(odd) })))
              const is_long = methods.length > api_limits.methods
              return is_long || methods.length === 0
                ? Promise.reject(new Error(t(is_long ? 'methods_many' : 'methods_needed', { max: api_limits.methods })))
                : Promise.resolve()
            },
          },
        ]}
      >
        <MethodsField />
      </Field>
      <Field name="remark" label={t('remark')} rules={zodRules(schema, 'remark')}>
        <Input.TextArea autoSize={{ minRows: 2, maxRows: 6 }} />
      </Field>
    </FormPage>
  )
}

type Read = Out<typeof api.opsOsMdmApi.inspect_package>
/** Fills in package and certificate from an APK; the file itself is not kept. */
function CertificateReader({ onRead }: { onRead: (read: Read) => void }) {
  const { t } = useTranslation('api-authorisation')
  const input = useRef<HTMLInputElement>(null)
  const { percent, error, send } = useSending()
  const [read, setRead] = useState<Read | null>(null)
  const inspect = useWrite(api.opsOsMdmApi.inspect_package)
  const take = async (file: File) => {
    setRead(null)
    const upload_kid = await send(file)
    if (upload_kid === undefined) return
    const found = await inspect.mutateAsync({ upload_kid }).catch(() => undefined)
    if (!found) return
    setRead(found)
    onRead(found)
  }
  const failed = error ?? inspect.error
  return (
    <div className="api-reader">
      <Button
        icon={<FileSearchOutlined aria-hidden />}
        loading={percent !== null || inspect.isPending}
        onClick={() => input.current?.click()}
      >
        {t('reader.button')}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        accept=".apk"
        aria-label={t('reader.label')}
        onChange={(event) => {
          const [chosen] = event.target.files ?? []
          event.target.value = ''
          if (chosen) void take(chosen)
        }}
      />
      <div role="status">
        {percent !== null && <Progress percent={percent} size="small" aria-label={t('reader.label')} />}
        {read ? (
          <span>
            {t('reader.read', { name: read.label ?? read.package ?? '–', version: read.version_name ?? '–' })}
          </span>
        ) : (
          percent === null && <span className="dim">{t('reader.hint')}</span>
        )}
        {read && read.signers.length > 1 && (
          <p className="dim">{t('reader.several', { list: listText(read.signers) })}</p>
        )}
      </div>
      {failed && <Failure error={failed} is_line />}
    </div>
  )
}
