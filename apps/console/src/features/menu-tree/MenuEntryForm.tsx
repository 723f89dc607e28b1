import { Form, Input, Radio, Select } from 'antd'
import type { FormRule } from 'antd'
import { useTranslation } from 'react-i18next'
import { languages } from '@mdm/contract'
import type { MenuEntry, Sent } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { FormSection } from '../../shared/accounts/FormSection.tsx'
import { matches } from '../../shared/groups/group-tree.ts'
import { Properties } from '../../ui/DetailPage.tsx'
import { Field, FormPage } from '../../ui/form/form.tsx'
import { SwitchField } from '../../ui/form/SwitchField.tsx'
import type { FormShellProps } from '../../ui/form/form.tsx'
import { flattened } from '../../ui/list/tree.ts'
import { zodRules } from '../../ui/form/zod-rules.ts'
import { useSessionStore } from '../../core/session-store.ts'
import { pageIcon } from '../../ui/icons.tsx'
import { menuIcons } from '../../ui/menu-icons.tsx'
import { typesBelow, whyNotBelow } from './menu-places.ts'
import type { Entry } from './menu-places.ts'
import { TargetFields } from './TargetFields.tsx'
import './menu-tree.css'

type Draft = Required<Omit<Sent<typeof api.opsMenuTree.insert>, 'sort' | 'end'>>
type Values = Omit<Draft, 'visible'> & { is_visible: boolean }
type Props = Pick<FormShellProps<never>, 'onDone' | 'loading' | 'submitError'> & {
  tree: readonly Entry[]
  /** The entry that is edited; null for a new one. */
  of: MenuEntry | null
  /** Of a new one. */
  p_id: string
  onSubmit: (draft: Draft) => unknown
  onCancel: () => void
}

const schema = api.opsMenuTree.insert.input
/** 'As the screen': the value of a radio button cannot be null. */
const own_icon = ''

export function MenuEntryForm({ tree, of, p_id, onSubmit, ...shell }: Props) {
  const { t } = useTranslation('menu-tree')
  const language = useSessionStore((s) => s.language)
  const [form] = Form.useForm<Values>()
  const all = flattened(tree)
  const parentOf = (kid: string) => all.find((entry) => entry.kid === kid) ?? null
  const parent = parentOf(Form.useWatch('p_id', form) ?? p_id)
  const types = typesBelow(parent?.type ?? 'root')
  const type = Form.useWatch('type', form) ?? of?.type ?? types.at(-1)
  const side = parent?.end_type
  const is_fixed = of?.is_seeded ?? false

  const fits: FormRule = {
    validator: (_rule, kid: string) => {
      const reason = of && whyNotBelow(tree, of, parentOf(kid))
      return reason
        ? Promise.reject(new Error(t(`disabled_reason.${reason}`, { type: t(`type.${of.type}`) })))
        : Promise.resolve()
    },
  }
  const submit = ({ is_visible, ...values }: Values) => {
    const kept = of && is_fixed ? { code: of.code, type: of.type, path: of.path, access_code: of.access_code } : {}
    return onSubmit({
      ...values,
      path: values.path?.trim() || null,
      access_code: values.access_code?.trim() || null,
      icon: values.icon || null,
      end_type: side ?? values.end_type,
      visible: is_visible ? 1 : 0,
      ...kept,
    })
  }
  return (
    <FormPage<Values>
      {...shell}
      form={form}
      title={t(of ? 'edit_title' : 'add')}
      icon={pageIcon('menuTreeList')}
      submit={t(of ? 'save' : 'add')}
      initial={{
        p_id: of ? (of.p_id ?? 'ROOT') : p_id,
        type: of?.type ?? types.at(-1),
        code: of?.code ?? '',
        name: of?.name ?? { en: '', vi: '', 'zh-cn': '' },
        path: of?.path ?? '',
        access_code: of?.access_code ?? '',
        icon: of?.icon && of.icon in menuIcons ? of.icon : own_icon,
        end_type: of?.end_type ?? 1,
        is_visible: of ? of.visible === 1 : true,
        remind: of?.remind ?? '',
      }}
      onSubmit={submit}
      onValues={({ p_id: chosen }) => {
        // What could stand where it was may not fit where it is going.
        const allowed = typesBelow(parentOf(chosen)?.type ?? 'root')
        if (!of && !allowed.includes(form.getFieldValue('type') as Draft['type']))
          form.setFieldValue('type', allowed.at(-1))
      }}
    >
      <FormSection title={t('section.names')} hint={t('section.names_hint')}>
        {languages.map((each, at) => (
          <Field
            key={each}
            name={['name', each]}
            className="is-wide"
            label={t(`name_in.${each}`)}
            rules={zodRules(schema.shape.name, each)}
          >
            <Input autoFocus={at === 0} autoComplete="off" maxLength={64} lang={each} />
          </Field>
        ))}
      </FormSection>
      <FormSection title={t('section.place')} hint={t('section.place_hint')}>
        <Field name="p_id" className="is-wide" label={t('parent')} rules={[fits]}>
          <Select<string>
            showSearch={{ filterOption: (typed, option) => matches(String(option?.label ?? ''), typed) }}
            options={[
              {
                value: 'ROOT',
                label: t('top'),
                of: '',
                depth: 0,
                disabled: of ? whyNotBelow(tree, of, null) !== undefined : false,
              },
              ...all
                .filter((entry) => typesBelow(entry.type).length > 0)
                .map((entry) => ({
                  value: entry.kid,
                  label: entry.name[language],
                  depth: depthOf(all, entry),
                  of: entry.p_id === null ? t(`side.${entry.end_type}`) : '',
                  disabled: of ? whyNotBelow(tree, of, entry) !== undefined : false,
                })),
            ]}
            optionRender={({ data }) => (
              <span className="menu-option" style={{ paddingInlineStart: data.depth * 14 }}>
                {data.label}
                <span className="dim">{data.of}</span>
              </span>
            )}
          />
        </Field>
        {!is_fixed && (
          <Field name="type" label={t('type_label')}>
            <Select options={types.map((value) => ({ value, label: t(`type.${value}`) }))} />
          </Field>
        )}
        {side ? (
          <Form.Item label={t('side_label')}>
            <span className="dim">{t('side_of_parent', { side: t(`side.${side}`) })}</span>
          </Form.Item>
        ) : (
          <Field name="end_type" className="is-wide" label={t('side_label')} extra={t('side_hint')}>
            <Radio.Group options={([1, 2] as const).map((value) => ({ value, label: t(`side.${value}`) }))} />
          </Field>
        )}
      </FormSection>
      {of && (
        <FormSection title={t('section.tree')}>
          <div className="is-wide">
            <Properties
              of={[
                { label: t('encoding'), value: <span className="number">{of.encoding}</span> },
                { label: t('end'), value: t(`end_of.${of.end}`) },
              ]}
            />
          </div>
        </FormSection>
      )}
      {of && is_fixed ? (
        <FormSection title={t('fixed')} hint={t('fixed_hint')}>
          <div className="is-wide">
            <Properties
              of={[
                { label: t('code'), value: <code>{of.code}</code>, is_wide: true },
                { label: t('type_label'), value: t(`type.${of.type}`), is_wide: true },
                { label: t('column.path'), value: of.path && <code>{of.path}</code>, is_wide: true },
                { label: t('permission'), value: of.access_code && <code>{of.access_code}</code>, is_wide: true },
              ]}
            />
          </div>
        </FormSection>
      ) : (
        <TargetFields of={of} type={type} />
      )}
      <FormSection title={t('section.look')}>
        <SwitchField name="is_visible" className="is-wide" label={t('visible')} />
        {type === 'page' && (
          <Field name="icon" className="is-wide" label={t('icon')}>
            <Radio.Group optionType="button" className="menu-icons">
              <Radio.Button value={own_icon}>{t('icon_own')}</Radio.Button>
              {Object.entries(menuIcons).map(([name, icon]) => (
                <Radio.Button key={name} value={name} aria-label={name} title={name}>
                  {icon}
                </Radio.Button>
              ))}
            </Radio.Group>
          </Field>
        )}
        <Field name="remind" className="is-wide" label={t('remind')} extra={t('remind_hint')} schema={schema}>
          <Input autoComplete="off" />
        </Field>
      </FormSection>
    </FormPage>
  )
}

function depthOf(all: readonly Entry[], entry: MenuEntry): number {
  const parent = all.find(({ kid }) => kid === entry.p_id)
  return parent ? depthOf(all, parent) + 1 : 0
}
