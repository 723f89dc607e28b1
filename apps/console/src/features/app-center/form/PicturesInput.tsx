import { CloseOutlined, PlusOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CallFailed } from '../../../core/call-failed.ts'
import { useSession } from '../../../core/session.tsx'
import { Failure } from '../../../ui/Failure.tsx'
import { sendPicture } from '../versions/use-package.ts'

/** One that is kept already has a kid, one that was just sent its upload's. */
export type PictureValue = { url: string; kid?: string; upload_kid?: string }
type Props = {
  id?: string
  label: string
  max: number
  value?: readonly PictureValue[]
  onChange?: (value: PictureValue[]) => void
}

export function PicturesInput({ label, max, value = [], onChange }: Props) {
  const { t } = useTranslation('app-center')
  const { account_kid, user_kid } = useSession()
  const [error, setError] = useState<CallFailed | null>(null)
  const [is_sending, setSending] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const add = async (files: readonly File[]) => {
    setSending(true)
    setError(null)
    const room = max === 1 ? 1 : max - value.length
    const added: PictureValue[] = []
    try {
      for (const file of files.slice(0, room)) {
        const upload_kid = await sendPicture(file, { account_kid, user_kid })
        added.push({ upload_kid, url: URL.createObjectURL(file) })
      }
    } catch (reason) {
      if (!(reason instanceof CallFailed)) throw reason
      setError(reason)
    }
    setSending(false)
    if (added.length > 0) onChange?.(max === 1 ? added : [...value, ...added])
  }
  return (
    <>
      <ul className="app-pictures" aria-label={label} data-single={max === 1 || undefined}>
        {value.map((picture, at) => (
          <li key={picture.url}>
            <img src={picture.url} alt={t('picture.of', { label, number: at + 1 })} />
            {max > 1 && (
              <Button
                size="small"
                icon={<CloseOutlined aria-hidden />}
                aria-label={t('picture.remove', { number: at + 1 })}
                title={t('picture.remove', { number: at + 1 })}
                onClick={() => onChange?.(value.filter((each) => each !== picture))}
              />
            )}
          </li>
        ))}
        {(max === 1 || value.length < max) && (
          <li>
            <Button icon={<PlusOutlined aria-hidden />} loading={is_sending} onClick={() => input.current?.click()}>
              {t(max === 1 ? 'picture.choose' : 'picture.add')}
            </Button>
          </li>
        )}
      </ul>
      <input
        ref={input}
        type="file"
        hidden
        multiple={max > 1}
        accept="image/png,image/jpeg"
        aria-label={label}
        onChange={(event) => {
          const files = [...(event.target.files ?? [])]
          event.target.value = ''
          if (files.length > 0) void add(files)
        }}
      />
      {error && <Failure error={error} is_line />}
    </>
  )
}
