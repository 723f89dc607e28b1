import { SendOutlined } from '@ant-design/icons'
import { AutoComplete, Form, Input, Skeleton } from 'antd'
import type { FormRule } from 'antd'
import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { DevicePath } from '@mdm/contract'
import type { CloudFile } from '@mdm/contract'
import { api, useWrite } from '../../core/api.ts'
import { writeStored, readStoredJson } from '../../lib/stored.ts'
import { DevicesPicker, countOf, noDevices, targetsOf } from '../../shared/devices-picker/DevicesPicker.tsx'
import type { ChosenDevices } from '../../shared/devices-picker/DevicesPicker.tsx'
import { Failure } from '../../ui/Failure.tsx'
import { Field } from '../../ui/form/form.tsx'
import { useCount } from '../../ui/value/format.ts'
import { useUnsavedGuard } from '../../ui/form/unsaved.ts'
import { Wizard } from '../../ui/form/Wizard.tsx'
import { useSession } from '../../core/session.tsx'
import { FilesChoice, useFilesOf } from './FilesChoice.tsx'
import { PushReview } from './PushReview.tsx'
import type { Where } from './PushReview.tsx'
import { link } from '../../core/links.ts'

const first_path = '/sdcard/Download'
const description_max = 200
const isPaths = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((path) => DevicePath.safeParse(path).success)
/** Where this person pushed to before. */
const pathsKey = (user_kid: string) => `push_paths.${user_kid}`

export function FilePushWizard({ file_kids }: { file_kids: readonly string[] }) {
  const { t } = useTranslation(['file-cloud', 'devices-picker', 'common'])
  const named = useFilesOf(file_kids)
  if (named.is_pending) return <Skeleton active paragraph={{ rows: 6 }} />
  return (
    <>
      {named.error && <Failure error={named.error} is_line />}
      {!named.error && named.missing > 0 && <Failure error={new Error(t('push.file_gone'))} is_line />}
      <Steps initial={named.files} />
    </>
  )
}

function Steps({ initial }: { initial: readonly CloudFile[] }) {
  const { t } = useTranslation(['file-cloud', 'devices-picker', 'common'])
  const count = useCount()
  const navigate = useNavigate()
  const { user_kid, account_name } = useSession()
  const [at, setAt] = useState(initial.length > 0 ? 1 : 0)
  const [files, setFiles] = useState(initial)
  const [devices, setDevices] = useState<ChosenDevices>(noDevices)
  const [form] = Form.useForm<Where>()
  const paths = readStoredJson('local', pathsKey(user_kid), isPaths) ?? []
  const [where, setWhere] = useState<Where>({ path: paths[0] ?? first_path })
  const [made, setMade] = useState<string | null>(null)
  const ask = useUnsavedGuard(made === null && (files !== initial || countOf(devices) > 0))
  const insert = useWrite(api.pushTask.insert, {
    done: t('push.done'),
    also: ['file_cloud'],
    onSuccess: ({ kid }) => setMade(kid),
  })
  // After the guard has heard that nothing is unsaved any more.
  useEffect(() => {
    if (made) void navigate(link.fileCloudPush.to({ task: made }), { replace: true })
  }, [made, navigate])

  const number = countOf(devices)
  const steps = [
    { key: 'files', title: t('step.files'), content: <FilesChoice value={files} onChange={setFiles} /> },
    { key: 'devices', title: t('step.devices'), content: <DevicesPicker value={devices} onChange={setDevices} /> },
    {
      key: 'path',
      title: t('step.path'),
      content: <WhereStep form={form} initial={where} paths={paths} onEnter={() => void next()} />,
    },
    {
      key: 'review',
      title: t('step.review'),
      content: <PushReview files={files} devices={devices} where={where} account_name={account_name} />,
    },
  ]
  const step = steps[at]?.key
  const because = () => {
    if (step === 'files' && files.length === 0) return t('push.choose_file')
    if (step === 'devices') {
      const is_group = devices.kind === 'group' && devices.terminal_group_kid !== undefined
      if (number === 0) return is_group ? t('push.group_empty') : t('push.choose_device')
    }
    return undefined
  }
  const next = async () => {
    if (step === 'path') {
      const values = await form.validateFields()
      setWhere({ path: values.path.trim(), description: values.description?.trim() })
    }
    if (step !== 'review') return setAt(at + 1)
    await insert.mutateAsync({
      type: 'file',
      payload: { file_kids: files.map(({ kid }) => kid), path: where.path },
      description: where.description ?? '',
      ...targetsOf(devices),
    })
    writeStored(
      'local',
      pathsKey(user_kid),
      JSON.stringify([where.path, ...paths.filter((path) => path !== where.path)].slice(0, 8)),
    )
  }
  return (
    <Wizard
      title={t('push.title')}
      icon={<SendOutlined aria-hidden />}
      steps={steps}
      at={at}
      onNext={next}
      onBack={() => {
        if (step === 'path') setWhere({ ...where, ...form.getFieldsValue() })
        insert.reset()
        setAt(at - 1)
      }}
      onCancel={() => ask(() => void navigate(link.fileCloudPush.to()))}
      submit={t('push.submit', {
        files: t('push.files', { count: files.length, shown: count(files.length) }),
        devices: t('devices-picker:devices', { count: number, shown: count(number) }),
      })}
      because={because()}
      loading={insert.isPending}
      submitError={insert.error}
    />
  )
}

type WhereProps = {
  form: ReturnType<typeof Form.useForm<Where>>[0]
  initial: Where
  paths: readonly string[]
  onEnter: () => void
}
function WhereStep({ form, initial, paths, onEnter }: WhereProps) {
  const { t } = useTranslation(['file-cloud', 'common'])
  return (
    <Form<Where>
      form={form}
      layout="vertical"
      requiredMark={markRequired}
      initialValues={initial}
      className="push-where"
      onFinish={onEnter}
    >
      <Field
        name="path"
        label={t('push.path')}
        extra={t('push.path_hint')}
        rules={[pathRule(t('common:invalid.required'), t('push.path_bad'))]}
      >
        <AutoComplete
          className="code"
          autoFocus
          options={[...new Set([...paths, first_path])].map((value) => ({ value }))}
          showSearch={{ filterOption: (typed, option) => String(option?.value ?? '').includes(typed) }}
        />
      </Field>
      <Field name="description" label={t('push.description')} extra={t('push.description_hint')}>
        <Input maxLength={description_max} autoComplete="off" />
      </Field>
      <button type="submit" hidden aria-hidden tabIndex={-1} />
    </Form>
  )
}

/** As in the kit's forms. */
const markRequired = (label: ReactNode, { required }: { required: boolean }) => (
  <>
    {label}
    {required && <span className="required" aria-hidden />}
  </>
)

/** "Push path required and of valid format" (specification, 5). */
const pathRule = (required: string, bad: string): FormRule => ({
  required: true,
  validator: (_rule, path: string | undefined) => {
    if (!path?.trim()) return Promise.reject(new Error(required))
    return DevicePath.safeParse(path).success ? Promise.resolve() : Promise.reject(new Error(bad))
  },
})
