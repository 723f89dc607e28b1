import { Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { api, useCall } from '../../../core/api.ts'
import { useTyped } from '../../devices-picker/ChoiceTable.tsx'
import { Field } from '../../../ui/form/form.tsx'

/** One of the account's configuration files; it says itself where it goes on the device. */
export function ConfigFileFields() {
  const { t } = useTranslation(['push/wizard', 'common'])
  const typed = useTyped()
  const query = useCall(
    api.configFile.paging,
    { page_size: 100, sort: 'name', ...(typed.text && { text: typed.text }) },
    { keepPrevious: true },
  )
  return (
    <Field
      name="config_file_kid"
      className="push-narrow"
      label={t('config_file.label')}
      rules={[{ required: true, message: t('config_file.choose') }]}
    >
      <Select
        loading={query.isPending}
        showSearch={{ filterOption: false, onSearch: typed.setTyped }}
        placeholder={t('config_file.choose')}
        options={(query.data?.items ?? []).map(({ kid, name, path }) => ({ value: kid, label: `${name} → ${path}` }))}
      />
    </Field>
  )
}
