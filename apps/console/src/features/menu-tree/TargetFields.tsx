import { AutoComplete, Input } from 'antd'
import type { FormRule } from 'antd'
import { useTranslation } from 'react-i18next'
import { elementsOf, pageList, permissions } from '@mdm/contract'
import type { MenuEntry } from '@mdm/contract'
import { api, send } from '../../core/api.ts'
import { FormSection } from '../../shared/accounts/FormSection.tsx'
import { matches } from '../../shared/groups/group-tree.ts'
import { Field } from '../../ui/form/form.tsx'
import { useTextOf } from '../../i18n/use-text-of.ts'
import type { EntryType } from './menu-places.ts'

const schema = api.opsMenuTree.insert.input

/** Where an entry leads and who sees it; what a delivered one keeps as it is. */
export function TargetFields({ of, type }: { of: MenuEntry | null; type: EntryType | undefined }) {
  const { t } = useTranslation('menu-tree')
  const textOf = useTextOf()
  const free: FormRule = {
    validator: async (_rule, value: unknown) => {
      if (typeof value !== 'string' || !value.trim() || value === of?.code) return
      // What cannot be asked now is said when the form is sent.
      const found = await send(api.opsMenuTree.exists, { code: value.trim(), ...(of && { src_kid: of.kid }) }).catch(
        () => undefined,
      )
      if (found?.exists) throw new Error(t('code_taken'))
    },
  }
  const path: FormRule = {
    validator: (_rule, value: string | undefined) =>
      schema.shape.path.safeParse(value?.trim() ?? '').success
        ? Promise.resolve()
        : Promise.reject(new Error(t('path_rule'))),
  }
  const known: FormRule = {
    validator: (_rule, value: string | undefined) =>
      !value?.trim() || elementsOf([value.trim()]).length > 0
        ? Promise.resolve()
        : Promise.reject(new Error(t('permission_unknown'))),
  }
  return (
    <FormSection title={t('section.target')} hint={t('section.target_hint')}>
      <Field name="code" className="is-wide" label={t('code')} extra={t('code_hint')} schema={schema} rules={[free]}>
        <Input className="code" autoComplete="off" spellCheck={false} maxLength={80} />
      </Field>
      {type === 'page' && (
        <Field
          name="path"
          className="is-wide"
          label={t('path')}
          extra={t('path_hint')}
          rules={[{ required: true, whitespace: true, message: t('path_needed') }, path]}
        >
          <AutoComplete
            showSearch={{ filterOption: (typed, option) => matches(`${option?.label} ${option?.value}`, typed) }}
            options={pageList
              .filter((page) => !page.is_hidden && page.needs !== 'public')
              .map((page) => ({ value: page.path, label: textOf(page.title) }))}
            optionRender={pathOption}
          />
        </Field>
      )}
      <Field
        name="access_code"
        className="is-wide"
        label={t('permission')}
        extra={t('permission_hint')}
        schema={schema}
        rules={[known]}
      >
        <AutoComplete
          allowClear
          showSearch={{ filterOption: (typed, option) => matches(option?.value ?? '', typed) }}
          options={permissions.map((value) => ({ value }))}
        />
      </Field>
    </FormSection>
  )
}

const pathOption = ({ data }: { data: { label: string; value: string } }) => (
  <>
    {data.label} <code className="dim">{data.value}</code>
  </>
)
