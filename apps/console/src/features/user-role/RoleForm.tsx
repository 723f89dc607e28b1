import { Form, Input, InputNumber, Select } from 'antd'
import type { FormRule } from 'antd'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { Role, Sent } from '@mdm/contract'
import { send, useWrite } from '../../core/api.ts'
import type { api } from '../../core/api.ts'
import { Field, FormDrawer } from '../../ui/form/form.tsx'
import { branchOf, nested } from '../../ui/list/tree.ts'
import { useSession } from '../../core/session.tsx'
import { matches } from '../../shared/groups/group-tree.ts'
import { ownWeight, roleSides, weightsBetween } from './sides.ts'
import type { RoleSide } from './sides.ts'

type Values = Omit<Sent<typeof api.role.insert>, 'permissions'>
type Props = {
  side: RoleSide
  roles: readonly Role[]
  /** The role that is edited; null for a new one. */
  of: Role | null
  /** Of a new role. */
  parent: Role | null
  onAdded: (kid: string) => void
  onClose: () => void
}

export function RoleForm({ side, roles, of, parent, onAdded, onClose }: Props) {
  const { t } = useTranslation('user-role')
  const { calls } = roleSides[side]
  const schema = calls.insert.input
  const own = ownWeight(side, roles, useSession())
  const added = useRef('')
  const insert = useWrite(calls.insert, { done: t('added'), onSuccess: ({ kid }) => void (added.current = kid) })
  const update = useWrite(calls.update, { done: t('saved') })
  const save = of ? update : insert
  const [form] = Form.useForm<Values>()
  const parent_kid = Form.useWatch('parent_kid', form) ?? of?.parent_kid ?? parent?.kid ?? ''
  const weights = weightsBetween(roles, parent_kid, of?.kid ?? null, own)
  const within: FormRule = {
    validator: (_rule, weight: number | null) =>
      weight === null || (weight >= weights.min && weight <= weights.max)
        ? Promise.resolve()
        : Promise.reject(new Error(t('weight_range', weights))),
  }
  const free = (field: 'code' | 'name'): FormRule => ({
    validator: async (_rule, value: unknown) => {
      if (typeof value !== 'string' || !value.trim() || value === of?.[field]) return
      const question = { [field]: value.trim(), ...(of && { src_kid: of.kid }) }
      // What cannot be asked now is said when the form is sent.
      const found = await send(calls.exists, question).catch(() => undefined)
      if (found?.exists) throw new Error(t(`taken_${field}`))
    },
  })
  return (
    <FormDrawer<Values>
      form={form}
      title={of ? t('edit_title', { name: of.name }) : t('add')}
      submit={of ? t('save') : t('add_submit')}
      initial={
        of
          ? { parent_kid: of.parent_kid ?? '', name: of.name, code: of.code, weight: of.weight, remark: of.remark }
          : { parent_kid: parent?.kid ?? '', name: '', code: '', weight: suggestion(weights.max), remark: '' }
      }
      loading={save.isPending}
      submitError={save.error}
      onSubmit={(values) => (of ? update.mutateAsync({ ...values, kid: of.kid }) : insert.mutateAsync(values))}
      onDone={() => (of ? onClose() : onAdded(added.current))}
      onClose={onClose}
    >
      <Field name="name" label={t('name')} schema={schema} rules={[free('name')]}>
        <Input autoFocus autoComplete="off" />
      </Field>
      <Field name="code" label={t('code')} extra={t('code_hint')} schema={schema} rules={[free('code')]}>
        <Input className="code" autoComplete="off" spellCheck={false} maxLength={32} />
      </Field>
      <Field name="parent_kid" label={t('parent')} schema={schema}>
        <ParentChoice roles={roles} of={of} />
      </Field>
      <Field
        name="weight"
        label={t('weight')}
        extra={t('weight_hint', weights)}
        dependencies={['parent_kid']}
        schema={schema}
        rules={[within]}
      >
        <InputNumber precision={0} min={1} max={999} style={{ width: '100%' }} />
      </Field>
      <Field name="remark" label={t('remark')} schema={schema}>
        <Input.TextArea autoSize={{ minRows: 2, maxRows: 6 }} />
      </Field>
    </FormDrawer>
  )
}

/** Leaves room above and below for roles to come. */
const suggestion = (max: number): number => (max >= 20 ? Math.floor((max + 1) / 2 / 10) * 10 : max)

type ParentProps = {
  roles: readonly Role[]
  of: Role | null
  /** `Field` gives these three. */
  id?: string
  value?: string
  onChange?: (kid: string) => void
}
function ParentChoice({ roles, of, ...field }: ParentProps) {
  const tree = nested(roles, ({ parent_kid }) => parent_kid)
  const own_branch = branchOf(tree, of?.kid ?? '')
  const options = roles.filter(({ kid }) => !own_branch.has(kid))
  return (
    <Select<string>
      {...field}
      showSearch={{ filterOption: (typed, option) => matches(String(option?.label ?? ''), typed) }}
      options={options.map(({ kid, name, weight, can }) => ({
        value: kid,
        label: `${name} (${weight})`,
        disabled: kid !== of?.parent_kid && !can.includes('add_child'),
      }))}
    />
  )
}
