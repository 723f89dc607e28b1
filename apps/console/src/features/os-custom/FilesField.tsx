import { Input } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, useCall } from '../../core/api.ts'
import { searchSelect, useTyped } from '../../ui/form/search-select.ts'
import { AddSelect, ChosenRow } from './chosen-rows.tsx'

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
              <ChosenRow
                key={`${file.file_kid} ${at}`}
                name={name}
                is_gone={known.some((one) => one.file_kid === file.file_kid && one.is_gone)}
                onRemove={() => onChange?.(value.filter((_, n) => n !== at))}
              >
                <Input
                  aria-label={t('file.path_of', { name })}
                  value={file.path}
                  maxLength={1000}
                  spellCheck={false}
                  onChange={(event) =>
                    onChange?.(value.map((one, n) => (n === at ? { ...one, path: event.target.value } : one)))
                  }
                />
              </ChosenRow>
            )
          })}
        </ul>
      )}
      <AddSelect
        id={id}
        typed={typed}
        select={select}
        label={t('file.add')}
        none={t('file.none')}
        onAdd={(kid) => {
          const file = files.find((one) => one.kid === kid)
          if (!file) return
          setSeen({ ...seen, [file.kid]: file.name })
          onChange?.([...value, { file_kid: file.kid, path: file.device_path }])
        }}
      />
    </div>
  )
}
