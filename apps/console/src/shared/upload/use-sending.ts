import { useEffect, useRef, useState } from 'react'
import { CallFailed } from '../../core/call-failed.ts'
import { useSession } from '../../core/session.tsx'
import { transfer } from '../../core/transfer.ts'
import type { Transfer } from '../../core/transfer.ts'

/** Sends a file; the same one goes on where it was interrupted. */
export function useSending() {
  const { account_kid, user_kid } = useSession()
  const [percent, setPercent] = useState<number | null>(null)
  const [error, setError] = useState<CallFailed | null>(null)
  const running = useRef<Transfer | null>(null)
  useEffect(() => () => void running.current?.stop(false), [])
  const send = async (file: File): Promise<string | undefined> => {
    setError(null)
    setPercent(0)
    running.current = transfer({
      file,
      name: file.name,
      owner: { account_kid, user_kid },
      onProgress: (bytes) => setPercent(Math.floor((bytes / Math.max(1, file.size)) * 100)),
      onWaiting: () => undefined,
    })
    try {
      return await running.current.finished
    } catch (failed) {
      if (!(failed instanceof CallFailed)) throw failed
      setError(failed)
      return undefined
    } finally {
      running.current = null
      setPercent(null)
    }
  }
  return { percent, error, send }
}
