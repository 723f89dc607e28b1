import { Form, Input, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { istageTypeNames, istageTypes } from '@mdm/contract'
import { api, useCall } from '../../core/api.ts'
import { useTextOf } from '../../i18n/use-text-of.ts'
import { requiredMark } from '../../ui/form/form.tsx'
import { searchSelect, useTyped } from '../../ui/form/search-select.ts'
import type { Draft } from './draft.ts'

type Props = {
  draft: Draft
  faults: Partial<Record<'name' | 'type' | 'version', string | undefined>>
  /** The template that the configuration was made from. */
  known: { kid: string; version: string; name: string } | undefined
  onChange: (by: Partial<Draft>) => void
}
/** What the configuration is called, and the template that it is made from. */
export function BasicsStep({ draft, faults, known, onChange }: Props) {
  const { t } = useTranslation(['istage', 'common'])
  const textOf = useTextOf()
  const typed = useTyped()
  const { type, template_kid } = draft
  const query = useCall(
    api.istageTemplate.paging,
    { page_size: 100, sort: 'version', order: 'desc', ...(type && { type }), ...(typed.text && { text: typed.text }) },
    { keepPrevious: true, enabled: type !== null },
  )
  const found = (query.data?.items ?? [])
    .filter((row) => row.type === type)
    .map(({ kid, version, name, kind }) => ({ value: kid, label: `${version} · ${name} · ${t(`kind.${kind}`)}` }))
  const chosen =
    known && known.kid === template_kid ? [{ value: known.kid, label: `${known.version} · ${known.name}` }] : []
  const wrong = (message: string | undefined) => ({
    help: message,
    ...(message !== undefined && { validateStatus: 'error' as const }),
  })
  return (
    <Form layout="vertical" component="div" requiredMark={requiredMark} className="istage-basics">
      <Form.Item label={t('common:name')} htmlFor="istage-name" required {...wrong(faults.name)}>
        <Input
          id="istage-name"
          autoComplete="off"
          maxLength={60}
          value={draft.name}
          onChange={(event) => onChange({ name: event.target.value })}
        />
      </Form.Item>
      <Form.Item label={t('field.description')} htmlFor="istage-description">
        <Input.TextArea
          id="istage-description"
          maxLength={500}
          autoSize={{ minRows: 2, maxRows: 6 }}
          value={draft.description}
          onChange={(event) => onChange({ description: event.target.value.replaceAll('\n', ' ') })}
        />
      </Form.Item>
      <Form.Item label={t('column.type')} htmlFor="istage-type" required {...wrong(faults.type)}>
        <Select
          id="istage-type"
          value={type}
          placeholder={t('choose.type')}
          options={istageTypeNames.map((value) => ({ value, label: textOf(istageTypes[value]) }))}
          onChange={(value) => onChange({ type: value, template_kid: null, modules: {} })}
        />
      </Form.Item>
      <Form.Item
        label={t('column.version')}
        htmlFor="istage-version"
        required
        extra={t('choose.version_hint')}
        {...wrong(faults.version)}
      >
        <Select
          id="istage-version"
          value={template_kid}
          disabled={type === null}
          placeholder={t('choose.version')}
          notFoundContent={t('choose.no_version')}
          {...searchSelect(typed, query, found, chosen)}
          onChange={(kid) => {
            typed.setTyped('')
            onChange({ template_kid: kid })
          }}
        />
      </Form.Item>
    </Form>
  )
}
