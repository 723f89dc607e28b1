import { Button, Drawer, Form } from 'antd'
import type { FormInstance, FormItemProps } from 'antd'
import { useCallback, useEffect, useEffectEvent, useId, useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { CallFailed } from '../../core/call-failed.ts'
import { Failure } from '../Failure.tsx'
import { PageHead } from '../PageHead.tsx'
import { useUnsavedGuard } from './unsaved.ts'

export type FormShellProps<V extends object> = {
  title: string
  /** Names what it does: 'Create group'. */
  submit: string
  initial: Partial<V>
  /** What it throws is expected in `submitError`. */
  onSubmit: (values: V) => unknown
  /** After `onSubmit` succeeded, when nothing is unsaved any more: the place to navigate or close. */
  onDone?: () => void
  /** Both are required, so that no form forgets them: `write.isPending` and `write.error`. */
  loading: boolean
  submitError: CallFailed | null
  /** `Field`s. */
  children: ReactNode
  form?: FormInstance<V>
  onValues?: (values: V) => void
}

/** One field. Validates on blur and on submit; its error is cleared by typing. Rules: `zodRules`. */
export function Field(props: Omit<FormItemProps, 'name'> & { name: string | (string | number)[] }) {
  return <Form.Item validateTrigger="onBlur" validateFirst {...props} />
}

type BodyProps<V extends object> = Omit<FormShellProps<V>, 'title' | 'submit' | 'loading'> & {
  id: string
  form: FormInstance<V>
  onDirty: () => void
  onSaved: () => void
}
function FormBody<V extends object>(props: BodyProps<V>) {
  const { id, form, initial, submitError, children, onValues, onDirty } = props
  const unplaced = useServerErrors(form, submitError)
  const submit = async (values: V) => {
    try {
      await props.onSubmit(values)
    } catch {
      // The failure arrives through `submitError`; what was typed stays.
      return
    }
    props.onSaved()
  }
  return (
    <Form<V>
      id={id}
      form={form}
      layout="vertical"
      requiredMark={(label, { required }) => (
        <>
          {label}
          {required && <span className="required" aria-hidden />}
        </>
      )}
      initialValues={initial as never}
      scrollToFirstError={{ focus: true }}
      onFinish={(values) => void submit(values)}
      onValuesChange={(changed: Partial<V>, values) => {
        onDirty()
        onValues?.(values)
        form.setFields(Object.keys(changed).map((name) => ({ name: name as never, errors: [] })))
      }}
    >
      {submitError && unplaced && <Failure error={submitError} is_line />}
      {children}
    </Form>
  )
}

/** Refusals of the catalogue that are about one field by their nature: the code or name is there already. */
const field_of: Record<number, string> = {
  40017: 'sn',
  40018: 'name',
  40019: 'name',
  40020: 'sn',
  40021: 'sn',
  40022: 'registration_code',
  44001: 'name',
  44002: 'code',
  44003: 'username',
  44004: 'email',
  44005: 'phone',
  44006: 'code',
  40016: 'terminal_max',
  41051: 'terminal_max',
  41053: 'fae_kid',
}
function fieldsOf(error: CallFailed | null): Record<string, string> {
  const field = error && field_of[error.result]
  return field && Object.keys(error.fields).length === 0 ? { [field]: error.message } : (error?.fields ?? {})
}

/** Puts the server's field errors on the fields. True when something is left that no field can show. */
function useServerErrors<V extends object>(form: FormInstance<V>, error: CallFailed | null): boolean {
  const entries = Object.entries(fieldsOf(error))
  // Without an error there may be no form yet: this runs before its first rendering.
  const names = entries.length > 0 ? Object.keys(form.getFieldsValue(true) as object) : []
  const known = entries.filter(([path]) => names.includes(path.split('.')[0] ?? ''))
  const place = useEffectEvent(() => {
    const fields = known.map(([path, message]) => {
      const parts = path.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part))
      return { name: parts as never, errors: [message] }
    })
    form.setFields(fields)
    if (fields[0]) form.scrollToField(fields[0].name, { focus: true })
  })
  useEffect(() => {
    if (error) place()
  }, [error])
  return known.length === 0 || known.length < entries.length
}

/** Whether something is unsaved, the guard over it, and `onDone` once nothing is any more. */
function useSaving(onDone: (() => void) | undefined) {
  const [is_dirty, setDirty] = useState(false)
  const [saved, setSaved] = useState(0)
  const ask = useUnsavedGuard(is_dirty)
  const done = useEffectEvent(() => onDone?.())
  // After the guard's own effects, so that it lets this navigation pass.
  useEffect(() => {
    if (saved > 0) done()
  }, [saved])
  const onDirty = useCallback(() => setDirty(true), [])
  const onSaved = useCallback(() => {
    setDirty(false)
    setSaved((times) => times + 1)
  }, [])
  return { is_dirty, ask, onDirty, onSaved }
}

type FormPageProps<V extends object> = FormShellProps<V> & {
  icon?: ReactNode
  onCancel: () => void
  /** Another name of the button that leaves. */
  cancel?: string | undefined
  /** Under the title: where one is on the way. */
  above?: ReactNode
  /** A step back, where there is one. */
  previous?: { text: string; onClick: () => void }
}
/** A form that is a page of its own. Its submit bar stays at the bottom. */
export function FormPage<V extends object>(props: FormPageProps<V>) {
  const { t } = useTranslation('common')
  const [own] = Form.useForm<V>()
  const form = props.form ?? own
  const id = useId()
  const { onDirty, onSaved } = useSaving(props.onDone)
  return (
    <section className="form-page">
      <PageHead title={props.title} icon={props.icon} />
      {props.above}
      <div className="form-body">
        <FormBody {...props} id={id} form={form} onDirty={onDirty} onSaved={onSaved} />
      </div>
      <footer className="submit-bar">
        <Button type="primary" htmlType="submit" form={id} loading={props.loading}>
          {props.submit}
        </Button>
        <Button onClick={props.onCancel}>{props.cancel ?? t('cancel')}</Button>
        {props.previous && <Button onClick={props.previous.onClick}>{props.previous.text}</Button>}
      </footer>
    </section>
  )
}

/** A form over the list it belongs to. Mount it only while open: `{is_open && <FormDrawer …/>}`. */
export function FormDrawer<V extends object>(props: FormShellProps<V> & { onClose: () => void; width?: number }) {
  const { t } = useTranslation('common')
  const [own] = Form.useForm<V>()
  const form = props.form ?? own
  const id = useId()
  const { is_dirty, ask, onDirty, onSaved } = useSaving(props.onDone)
  const close = () => ask(props.onClose)
  return (
    <Drawer
      open
      className="form-drawer"
      size={props.width ?? 440}
      title={props.title}
      onClose={close}
      mask={{ closable: !is_dirty }}
      footer={
        <div className="submit-bar">
          <Button type="primary" htmlType="submit" form={id} loading={props.loading}>
            {props.submit}
          </Button>
          <Button onClick={close}>{t('cancel')}</Button>
        </div>
      }
    >
      <FormBody {...props} id={id} form={form} onDirty={onDirty} onSaved={onSaved} />
    </Drawer>
  )
}
