import { Button } from 'antd'
import { useCallback, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Bytes } from '../../ui/value/values.tsx'
import { useMay, useSession } from '../../core/session.tsx'
import { forgetInterrupted, interruptedUploads } from '../../core/transfer.ts'
import type { Interrupted } from '../../core/transfer.ts'
import { fileSides } from './sides.ts'
import type { FileSide } from './sides.ts'
import { useUploads } from './uploads.ts'

/** Uploads that a reload or a closed tab cut off, without those that are on their way right now. */
export function useInterrupted() {
  const { account_kid, user_kid } = useSession()
  const items = useUploads((s) => s.items)
  const [all, setAll] = useState<readonly Interrupted[]>([])
  const read = useCallback(async () => {
    const found = await interruptedUploads({ account_kid, user_kid })
    setAll(
      found.filter(({ file_name, size }) => !items.some(({ file }) => file.name === file_name && file.size === size)),
    )
  }, [account_kid, user_kid, items])
  useEffect(() => void read(), [read])
  return { all, read }
}

type Props = { side: FileSide; of: ReturnType<typeof useInterrupted>; onChoose: () => void }
/** A page cannot open the person's file by itself, so it asks for it once more. */
export function InterruptedLines({ side, of: { all, read }, onChoose }: Props) {
  const { t } = useTranslation('file-cloud')
  const may_upload = useMay(fileSides[side].needs.add)
  if (!may_upload || all.length === 0) return null
  return (
    <ul className="interrupted" aria-label={t('interrupted.title')}>
      {all.map(({ key, file_name, size }) => (
        <li key={key}>
          <span>
            <strong>{file_name}</strong> (<Bytes value={size} />
            ): {t('interrupted.what')}
          </span>
          <Button size="small" onClick={onChoose}>
            {t('interrupted.choose')}
          </Button>
          <Button size="small" type="text" onClick={() => void forgetInterrupted(key).then(read)}>
            {t('interrupted.forget')}
          </Button>
        </li>
      ))}
    </ul>
  )
}
