import { Form, Input } from 'antd'
import type { FormInstance, FormItemProps, FormRule, InputProps } from 'antd'
import { cloneElement, isValidElement, useCallback, useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import type { Dispatch, ReactNode, SetStateAction } from 'react'
import type * as z from 'zod'
import type { CallFailed } from '../../core/call-failed.ts'
import { Failure } from '../Failure.tsx'
import { PageHead } from '../PageHead.tsx'
import { Drawer } from '../dialog/Drawer.tsx'
import { takePageFocus } from '../dialog/take-focus.ts'
import { refusedFields } from './refused-fields.ts'
import { useFormPlace } from './form-places.ts'
import { useUnsavedGuard } from './unsaved.ts'
import { SubmitBar } from './SubmitBar.tsx'
import { FormWaits } from './waits.ts'
import { longestOf, zodRules } from './zod-rules.ts'

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

type FieldProps = Omit<FormItemProps, 'name' | 'rules'> & {
  name: string | (string | number)[]
  /** The contract's input that it is a field of: as there it is required, checked before `rules`, and long at most. */
  schema?: z.ZodType
  rules?: FormRule[]
}
const typed_in: readonly unknown[] = [Input, Input.TextArea]

/** One field. Validates on blur and on submit; its error is cleared by typing. */
export function Field({ schema, rules = [], children, ...props }: FieldProps) {
  const name = String(props.name)
  const is_typed = schema && isValidElement<InputProps>(children) && typed_in.includes(children.type)
  return (
    <Form.Item
      validateTrigger="onBlur"
      validateFirst
      {...props}
      rules={schema ? [...zodRules(schema, name), ...rules] : rules}
    >
      {is_typed ? cloneElement(children, { maxLength: longestOf(schema, name), ...children.props }) : children}
    </Form.Item>
  )
}

/** Behind the label, also where a form holds its values itself. */
export const requiredMark = (label: ReactNode, { required }: { required: boolean }) => (
  <>
    {label}
    {required && <span className="required" aria-hidden />}
  </>
)

type BodyProps<V extends object> = Omit<FormShellProps<V>, 'title' | 'submit' | 'loading'> & {
  id: string
  form: FormInstance<V>
  onDirty: () => void
  onSaved: () => void
  is_busy: boolean
  setWaits: Dispatch<SetStateAction<number>>
}
function FormBody<V extends object>(props: BodyProps<V>) {
  const { id, form, initial, submitError, children, onValues, onDirty } = props
  const unplaced = useServerErrors(form, submitError)
  // Enter submits as well, also while the button of the form shows that it waits.
  const is_submitting = useRef(false)
  const submit = async (values: V) => {
    if (is_submitting.current || props.is_busy) return
    is_submitting.current = true
    props.setWaits((count) => count + 1)
    try {
      await props.onSubmit(values)
    } catch {
      // The failure arrives through `submitError`; what was typed stays.
      return
    } finally {
      is_submitting.current = false
      props.setWaits((count) => count - 1)
    }
    props.onSaved()
  }
  return (
    <Form<V>
      id={id}
      form={form}
      layout="vertical"
      requiredMark={requiredMark}
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
      <FormWaits value={props.setWaits}>{children}</FormWaits>
    </Form>
  )
}

/** What is wrong with which field, by its dotted path. */
function fieldsOf(error: CallFailed | null, names: readonly string[]): Record<string, string> {
  if (!error || Object.keys(error.fields).length > 0) return error?.fields ?? {}
  const field = refusedFields[error.result]?.find((name) => names.includes(name))
  return field === undefined ? {} : { [field]: error.message }
}

/** Puts the server's field errors on the fields. True when something is left that no field can show. */
function useServerErrors<V extends object>(form: FormInstance<V>, error: CallFailed | null): boolean {
  // Without an error there may be no form yet: this runs before its first rendering.
  const names = error ? Object.keys(form.getFieldsValue(true) as object) : []
  const entries = Object.entries(fieldsOf(error, names))
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

/** Whether something is unsaved, the guard over it, `onDone` once nothing is any more, and whether the form can be sent. */
function useSaving({ onDone, loading }: { onDone?: (() => void) | undefined; loading: boolean }) {
  const [is_dirty, setDirty] = useState(false)
  const [saved, setSaved] = useState(0)
  const [waits, setWaits] = useState(0)
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
  return { is_dirty, ask, body: { onDirty, onSaved, is_busy: loading || waits > 0, setWaits } }
}

type FormPageProps<V extends object> = FormShellProps<V> & {
  icon?: ReactNode
  onCancel: () => void
  /** Another name of the button that leaves. */
  cancel?: string | undefined
  /** Beside the title: what it is of. */
  aside?: ReactNode
  /** Under the title: where one is on the way. */
  above?: ReactNode
  /** A step back, where there is one. */
  previous?: { text: string; onClick: () => void } | undefined
}
/** A form that is a page of its own. Its submit bar stays at the bottom. */
export function FormPage<V extends object>(props: FormPageProps<V>) {
  const [own] = Form.useForm<V>()
  const form = props.form ?? own
  const id = useId()
  useFormPlace()
  const { body } = useSaving(props)
  const page = useRef<HTMLElement>(null)
  useEffect(() => takePageFocus(() => page.current), [])
  return (
    <section className="form-page" ref={page}>
      <PageHead title={props.title} icon={props.icon} aside={props.aside} />
      {props.above}
      <div className="form-body">
        <FormBody {...props} id={id} form={form} {...body} />
      </div>
      <footer>
        <SubmitBar
          submit={props.submit}
          form={id}
          is_busy={body.is_busy}
          onCancel={props.onCancel}
          cancel={props.cancel}
          previous={props.previous}
        />
      </footer>
    </section>
  )
}

/** A form over the list it belongs to. Mount it only while open: `{is_open && <FormDrawer …/>}`. */
export function FormDrawer<V extends object>(props: FormShellProps<V> & { onClose: () => void; width?: number }) {
  const [own] = Form.useForm<V>()
  const form = props.form ?? own
  const id = useId()
  const { is_dirty, ask, body } = useSaving(props)
  const close = () => ask(props.onClose)
  return (
    <Drawer
      className="form-drawer"
      size={props.width ?? 440}
      title={props.title}
      onClose={close}
      mask={{ closable: !is_dirty }}
      footer={<SubmitBar submit={props.submit} form={id} is_busy={body.is_busy} onCancel={close} />}
    >
      <FormBody {...props} id={id} form={form} {...body} />
    </Drawer>
  )
}
