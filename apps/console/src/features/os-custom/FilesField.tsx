import { DeleteOutlined } from '@ant-design/icons'
import { Button, Input, Select } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, useCall } from '../../core/api.ts'
import { searchSelect, useTyped } from '../../ui/form/search-select.ts'

type ChosenFile = { file_kid: string; path: string }
type KnownFile = ChosenFile & { name: string; is_gone: boolean }
type Props = {
  known: readonly KnownFile[]
  value?: ChosenFile[]
  onChange?: (files: ChosenFile[]) => void
  id?: string
}

/** Files of the file cloud that the OS brings along, each with its folder on the device. */
export function FilesField({ known, id, value = [], onChange }: Props) {
  const { t } = useTranslation('os-custom')
  const typed = useTyped()
  const { text } = typed
  const [seen, setSeen] = useState<Record<string, string>>({})
  const query = useCall(api.osCustom.list_file, { ...(text && { text }) }, { keepPrevious: true })
  const files = query.data ?? []
  const nameOf = (kid: string) =>
    files.find((file) => file.kid === kid)?.name ??
    seen[kid] ??
    known.find((file) => file.file_kid === kid)?.name ??
    kid
  const found = files.map((file) => ({
    value: file.kid,
    label: `${file.name} · ${file.device_path}${file.origin === 'platform' ? ` · ${t('inherited')}` : ''}`,
  }))
  const select = searchSelect(typed, query, found)
  return (
    <div>
      {value.length > 0 && (
        <ul className="os-custom-rows">
          {value.map((file, at) => {
            const name = nameOf(file.file_kid)
            return (
              // The same file may stand in two folders.
              // oxlint-disable-next-line react/no-array-index-key
              <li key={`${file.file_kid} ${at}`}>
                <span className="os-custom-name">
                  {name}
                  {known.some((one) => one.file_kid === file.file_kid && one.is_gone) && (
                    <span className="os-custom-gone"> {t('gone')}</span>
                  )}
                </span>
                <Input
                  aria-label={t('file.path_of', { name })}
                  value={file.path}
                  maxLength={1000}
                  spellCheck={false}
                  onChange={(event) =>
                    onChange?.(value.map((one, n) => (n === at ? { ...one, path: event.target.value } : one)))
                  }
                />
                <Button
                  type="text"
                  aria-label={t('take_out', { name })}
                  icon={<DeleteOutlined aria-hidden />}
                  onClick={() => onChange?.(value.filter((_, n) => n !== at))}
                />
              </li>
            )
          })}
        </ul>
      )}
      <Select<string | null>
        {...(id !== undefined && { id })}
        value={null}
        {...select}
        showSearch={{ ...select.showSearch, searchValue: typed.typed }}
        placeholder={t('file.add')}
        notFoundContent={t('file.none')}
        onChange={(kid) => {
          const file = files.find((one) => one.kid === kid)
          if (!file) return
          setSeen({ ...seen, [file.kid]: file.name })
          typed.setTyped('')
          onChange?.([...value, { file_kid: file.kid, path: file.device_path }])
        }}
      />
    </div>
  )
}
