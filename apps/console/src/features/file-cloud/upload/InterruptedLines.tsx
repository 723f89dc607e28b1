import { Button } from 'antd'
import { useCallback, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { InterruptedUpload } from '@mdm/contract'
import { invalidate, useCall } from '../../../core/api.ts'
import { useMay, useSession } from '../../../core/session.tsx'
import { chosenNames, contentOf, giveUp } from '../../../core/transfer.ts'
import { Bytes } from '../../../ui/value/values.tsx'
import { fileSides } from '../sides.ts'
import type { FileSide } from '../sides.ts'
import { useUploads } from './uploads.ts'

/** `chosen`: the name that was chosen for it, in this browser. */
export type Interrupted = InterruptedUpload & { chosen: string | undefined }
export const isInterrupted = (file: File, all: readonly Interrupted[]): Interrupted | undefined =>
  all.find(({ fingerprint }) => fingerprint === contentOf(file))

/** Uploads that a reload, a closed tab or another machine cut off, without those that are on their way right now. */
export function useInterrupted(side: FileSide) {
  const { account_kid, user_kid } = useSession()
  const may_upload = useMay(fileSides[side].needs.add)
  const items = useUploads((s) => s.items)
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map())
  const query = useCall(fileSides[side].calls.list_upload, {}, { enabled: may_upload })
  const found = query.data
  useEffect(() => void chosenNames({ account_kid, user_kid }).then(setNames), [account_kid, user_kid, found])
  const all = (found ?? [])
    .filter(({ fingerprint }) => !items.some(({ file }) => contentOf(file) === fingerprint))
    .map((upload): Interrupted => ({ ...upload, chosen: names.get(upload.upload_kid) }))
  const { group } = fileSides[side].calls.list_upload
  const discard = useCallback(
    async (kid: string) => {
      await giveUp(kid, { account_kid, user_kid })
      await invalidate(group, 'list_upload')
    },
    [account_kid, user_kid, group],
  )
  return { all, discard }
}

type Props = { of: ReturnType<typeof useInterrupted>; onChoose: () => void }
/** A page cannot open the person's file by itself, so it asks for it once more. */
export function InterruptedLines({ of: { all, discard }, onChoose }: Props) {
  const { t } = useTranslation('file-cloud')
  if (all.length === 0) return null
  return (
    <ul className="interrupted" aria-label={t('interrupted.title')}>
      {all.map(({ upload_kid, name, size, received }) => (
        <li key={upload_kid}>
          <span>
            <strong>{name}</strong> (<Bytes value={received} /> / <Bytes value={size} />
            ): {t('interrupted.what')}
          </span>
          <Button size="small" onClick={onChoose}>
            {t('interrupted.choose')}
          </Button>
          <Button size="small" type="text" onClick={() => void discard(upload_kid)}>
            {t('interrupted.forget')}
          </Button>
        </li>
      ))}
    </ul>
  )
}
