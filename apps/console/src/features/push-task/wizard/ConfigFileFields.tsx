import { Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { api, useCall } from '../../../core/api.ts'
import { Field } from '../../../ui/form/form.tsx'
import { searchSelect, useTyped } from '../../../ui/form/search-select.ts'

/** One of the account's configuration files; it says itself where it goes on the device. */
export function ConfigFileFields() {
  const { t } = useTranslation(['push-task/wizard', 'common'])
  const typed = useTyped()
  const query = useCall(
    api.configFile.paging,
    { page_size: 100, sort: 'name', ...(typed.text && { text: typed.text }) },
    { keepPrevious: true },
  )
  const found = (query.data?.items ?? []).map(({ kid, name, path }) => ({ value: kid, label: `${name} → ${path}` }))
  return (
    <Field
      name="config_file_kid"
      className="push-narrow"
      label={t('config_file.label')}
      rules={[{ required: true, message: t('config_file.choose') }]}
    >
      <Select {...searchSelect(typed, query, found)} placeholder={t('config_file.choose')} />
    </Field>
  )
}
