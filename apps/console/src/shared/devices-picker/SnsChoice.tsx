import { CloseOutlined, FileTextOutlined, UploadOutlined } from '@ant-design/icons'
import { Button, Input } from 'antd'
import { useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { listText } from '../../i18n/list-text.ts'
import { useCount } from '../../ui/value/format.ts'
import { snLimits, snsOfFile, snsOfText } from './sns.ts'
import type { SnFault, SnList } from './sns.ts'

type Props = { value: SnList; onChange: (list: SnList) => void }

/** SNs as they stand in a sheet, a mail or a delivery note, or the first column of a file. */
export function SnsChoice({ value, onChange }: Props) {
  const { t } = useTranslation('devices-picker')
  const count = useCount()
  const hint_id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [fault, setFault] = useState<SnFault | null>(null)
  const read = async (file: File | undefined) => {
    if (!file) return
    const list = await snsOfFile(file)
    setFault(typeof list === 'string' ? list : null)
    if (typeof list !== 'string') onChange(list)
  }
  const is_full = value.sns.length > snLimits.sns
  const wrong = value.wrong.length
  return (
    <section className="sns-choice" aria-label={t('by_sns')}>
      <p className="dim" id={hint_id}>
        {t('sns_hint')}
      </p>
      {value.file === undefined ? (
        <Input.TextArea
          aria-label={t('sns_label')}
          aria-describedby={hint_id}
          className="code"
          rows={8}
          spellCheck={false}
          value={value.text}
          status={is_full ? 'error' : undefined}
          onChange={(event) => {
            setFault(null)
            onChange(snsOfText(event.target.value))
          }}
        />
      ) : (
        <p className="sns-file">
          <FileTextOutlined aria-hidden />
          <strong>{value.file}</strong>
          <Button
            type="text"
            size="small"
            icon={<CloseOutlined aria-hidden />}
            aria-label={t('sns_forget', { name: value.file })}
            onClick={() => onChange(snsOfText(''))}
          />
        </p>
      )}
      <div className="sns-tools">
        <Button icon={<UploadOutlined aria-hidden />} onClick={() => input.current?.click()}>
          {t('sns_file')}
        </Button>
        <input
          ref={input}
          type="file"
          accept=".csv,.txt,text/csv,text/plain"
          hidden
          aria-label={t('sns_file')}
          onChange={(event) => {
            void read(event.target.files?.[0])
            event.target.value = ''
          }}
        />
        <span role="status">
          {value.sns.length > 0 && !is_full && t('sns', { count: value.sns.length, shown: count(value.sns.length) })}
        </span>
      </div>
      {wrong > 0 && (
        <p className="choice-full">
          {t('sns_wrong', {
            count: wrong,
            shown: count(wrong),
            first: listText(value.wrong.slice(0, 3)).slice(0, 120),
          })}
        </p>
      )}
      {(fault ?? (is_full ? 'too_many' : null)) && (
        <p className="choice-full" role="alert">
          {t(`sns_fault.${fault ?? 'too_many'}`, { max: count(snLimits.sns) })}
        </p>
      )}
    </section>
  )
}
