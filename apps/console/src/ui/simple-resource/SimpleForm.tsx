import { DatePicker, Input, InputNumber, Select, Skeleton, Switch } from 'antd'
import dayjs from 'dayjs'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import { pages } from '@mdm/contract'
import { useCall, useWrite } from '../../core/api.ts'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { link } from '../../core/links.ts'
import { pageIcon } from '../icons.tsx'
import { Failure } from '../Failure.tsx'
import { Field, FormPage } from '../form/form.tsx'
import { simpleText } from './simple-resource.tsx'
import type { SimpleField, SimpleResource } from './simple-resource.tsx'
import { zodRules } from '../form/zod-rules.ts'

type Props<R extends { kid: string }> = { of: SimpleResource<R> }
type Values = Record<string, unknown>

export function SimpleAdd<R extends { kid: string }>({ of }: Props<R>) {
  useTranslation(of.namespace)
  const textOf = useTextOf()
  const navigate = useNavigate()
  const back = () => void navigate(link[of.pages.list].to())
  const add = textOf(pages[of.pages.add].title)
  const insert = useWrite(of.calls.insert, { done: simpleText(of.namespace, 'added') })
  return (
    <FormPage<Values>
      title={add}
      icon={pageIcon(of.pages.list)}
      submit={add}
      initial={{}}
      loading={insert.isPending}
      submitError={insert.error}
      onSubmit={(values) => insert.mutateAsync(values)}
      onDone={back}
      onCancel={back}
    >
      <Fields of={of} />
    </FormPage>
  )
}

export function SimpleEdit<R extends { kid: string }>({ of }: Props<R>) {
  useTranslation(of.namespace)
  const textOf = useTextOf()
  const navigate = useNavigate()
  const [search] = useSearchParams()
  const kid = search.get('kid') ?? ''
  const back = () => void navigate(link[of.pages.list].to())
  const query = useCall(of.calls.get, { kid })
  const update = useWrite(of.calls.update, { done: simpleText(of.namespace, 'saved') })
  if (query.error) return <Failure error={query.error} retry={query.refetch} />
  if (!query.data) return <Skeleton active />
  const row = query.data as Values
  const names = of.fields().filter((field) => !field.is_read_only)
  return (
    <FormPage<Values>
      title={textOf(pages[of.pages.edit].title)}
      icon={pageIcon(of.pages.list)}
      submit={simpleText(of.namespace, 'save')}
      initial={Object.fromEntries(names.map(({ name }) => [name, row[name]]))}
      loading={update.isPending}
      submitError={update.error}
      onSubmit={(values) => update.mutateAsync({ ...values, kid })}
      onDone={back}
      onCancel={back}
    >
      <Fields of={of} />
    </FormPage>
  )
}

function Fields<R extends { kid: string }>({ of }: Props<R>) {
  return of
    .fields()
    .filter((field) => !field.is_read_only)
    .map((field, at) => (
      <Field
        key={field.name}
        name={field.name}
        label={field.label}
        extra={field.hint}
        rules={zodRules(of.calls.insert.input, field.name)}
        {...(field.kind === 'switch' && { valuePropName: 'checked' })}
        {...(field.kind === 'date' && dateProps)}
      >
        {control(field, at === 0)}
      </Field>
    ))
}

/** The form holds the wire's text, the picker a dayjs. */
const dateProps = {
  getValueProps: (value: unknown) => ({ value: typeof value === 'string' ? dayjs(value) : null }),
  getValueFromEvent: (value: dayjs.Dayjs | null) => value?.toISOString() ?? null,
}

function control<R>(field: SimpleField<R>, autoFocus: boolean) {
  switch (field.kind) {
    case 'number':
      return <InputNumber autoFocus={autoFocus} style={{ width: '100%' }} />
    case 'select':
      return <Select options={field.options?.map((option) => ({ ...option }))} />
    case 'switch':
      return <Switch />
    case 'textarea':
      return <Input.TextArea autoSize={{ minRows: 3, maxRows: 8 }} />
    case 'date':
      return <DatePicker showTime />
    case 'code':
      return <Input autoFocus={autoFocus} className="code" autoComplete="off" spellCheck={false} />
    default:
      return <Input autoFocus={autoFocus} autoComplete="off" />
  }
}
