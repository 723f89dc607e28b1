import { TeamOutlined } from '@ant-design/icons'
import { Input } from 'antd'
import { useTranslation } from 'react-i18next'

type Props = { value: string | undefined; onSearch: (name: string) => void }

/** Part of the name of a customer. */
export function AccountSearch({ value, onSearch }: Props) {
  const { t } = useTranslation('search')
  return (
    <Input.Search
      // The address may change by itself: back, a saved view.
      key={value ?? ''}
      className="search-account"
      allowClear
      maxLength={100}
      prefix={<TeamOutlined aria-hidden />}
      placeholder={t('search_account')}
      aria-label={t('search_account')}
      defaultValue={value}
      onSearch={(name) => onSearch(name.trim())}
    />
  )
}
