import { useCallback, useEffect, useRef, useState } from 'react'
import { transfer } from '../../core/transfer.ts'
import type { Transfer } from '../../core/transfer.ts'
import { useSession } from '../../core/session.tsx'

/** Sends one file and answers with the upload's kid. The same file, sent again after a refusal, is there already. */
export function useUpload() {
  const { account_kid, user_kid } = useSession()
  const [percent, setPercent] = useState<number | null>(null)
  const running = useRef<Transfer | null>(null)
  const sent = useRef<{ file: File; kid: string } | null>(null)
  useEffect(() => () => void running.current?.stop(true), [])
  const upload = useCallback(
    async (file: File): Promise<string> => {
      if (sent.current?.file === file) return sent.current.kid
      setPercent(0)
      const moving = transfer({
        file,
        name: file.name,
        owner: { account_kid, user_kid },
        is_remembered: false,
        onProgress: (bytes) => setPercent(Math.floor((bytes / Math.max(1, file.size)) * 100)),
        onWaiting: () => undefined,
      })
      running.current = moving
      try {
        const kid = await moving.finished
        sent.current = { file, kid }
        return kid
      } finally {
        running.current = null
        setPercent(null)
      }
    },
    [account_kid, user_kid],
  )
  return { upload, percent }
}
