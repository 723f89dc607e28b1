import { UploadOutlined } from '@ant-design/icons'
import { Button, Progress } from 'antd'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Failure } from '../../ui/Failure.tsx'
import { useFormWaits } from '../../ui/form/waits.ts'
import { Bytes } from '../../ui/value/values.tsx'
import { useSending } from './use-sending.ts'
import './upload.css'

type Props = {
  /** What is chosen, for readers of the screen: 'OS package'. */
  label: string
  accept: string
  /** The file that is there already, if any. */
  current?: { name: string; size: number } | undefined
  /** Why none can be chosen now. */
  disabled?: boolean
  /** `Field` gives these three. */
  id?: string
  value?: string | undefined
  onChange?: (upload_kid: string | undefined) => void
}

/** A file of a form: it is sent as soon as it is chosen, and the form holds the kid of the finished upload. */
export function UploadField({ label, accept, current, disabled = false, id, onChange }: Props) {
  const { t } = useTranslation('upload')
  const input = useRef<HTMLInputElement>(null)
  const [file, setFile] = useState<File>()
  const { percent, error, send } = useSending()
  useFormWaits(percent !== null)
  const shown = file ?? current
  const choose = async (next: File) => {
    setFile(next)
    onChange?.(undefined)
    const upload_kid = await send(next)
    if (upload_kid === undefined) setFile(undefined)
    else onChange?.(upload_kid)
  }
  return (
    <div className="upload-field">
      <Button
        {...(id !== undefined && { id })}
        icon={<UploadOutlined aria-hidden />}
        disabled={disabled}
        loading={percent !== null}
        onClick={() => input.current?.click()}
      >
        {t(shown ? 'choose_other' : 'choose')}
      </Button>
      <span className={shown ? 'upload-file' : 'dim'}>
        {shown ? (
          <>
            {shown.name} <Bytes value={shown.size} />
          </>
        ) : (
          t('none')
        )}
      </span>
      <input
        ref={input}
        type="file"
        hidden
        accept={accept}
        aria-label={label}
        onChange={(event) => {
          const [chosen] = event.target.files ?? []
          event.target.value = ''
          if (chosen) void choose(chosen)
        }}
      />
      <div className="upload-progress" role="status">
        {percent !== null && <Progress percent={percent} size="small" aria-label={t('sending', { name: label })} />}
      </div>
      {error && <Failure error={error} is_line />}
    </div>
  )
}
