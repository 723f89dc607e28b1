import { useCallback, useEffect, useRef, useState } from 'react'
import type { InspectedPackage } from '@mdm/contract'
import { send } from '../../../core/api.ts'
import { CallFailed } from '../../../core/call-failed.ts'
import { useSession } from '../../../core/session.tsx'
import { transfer } from '../../../core/transfer.ts'
import type { Transfer } from '../../../core/transfer.ts'
import { appSides } from '../sides.ts'
import type { AppSide } from '../sides.ts'

export type PackageState =
  | { step: 'none' }
  | { step: 'sending'; file: File; percent: number; is_waiting: boolean }
  | { step: 'reading'; file: File }
  | { step: 'read'; file: File; upload_kid: string; inspected: InspectedPackage }
  | { step: 'failed'; file: File; error: CallFailed }

/** Sends a package and has the server read it. The same file goes on where it was interrupted, also in another browser. */
export function usePackage(side: AppSide, app_kid?: string) {
  const { account_kid, user_kid } = useSession()
  const [state, setState] = useState<PackageState>({ step: 'none' })
  const running = useRef<Transfer | null>(null)
  // What was sent stays with the server for a while: whoever comes back with the file need not send it again.
  useEffect(() => () => void running.current?.stop(false), [])
  const choose = useCallback(
    async (file: File): Promise<InspectedPackage | undefined> => {
      await running.current?.stop(true)
      setState({ step: 'sending', file, percent: 0, is_waiting: false })
      const moving = transfer({
        file,
        name: file.name,
        owner: { account_kid, user_kid },
        area: 'app_center',
        listInterrupted: () => send(appSides[side].calls.list_upload, {}),
        onProgress: (bytes) =>
          setState({
            step: 'sending',
            file,
            percent: Math.floor((bytes / Math.max(1, file.size)) * 100),
            is_waiting: false,
          }),
        onWaiting: () => setState((before) => (before.step === 'sending' ? { ...before, is_waiting: true } : before)),
      })
      running.current = moving
      try {
        const upload_kid = await moving.finished
        running.current = null
        setState({ step: 'reading', file })
        const input = { upload_kid, ...(app_kid !== undefined && { app_kid }) }
        const inspected = await send(appSides[side].calls.inspect_upload, input)
        setState({ step: 'read', file, upload_kid, inspected })
        return inspected
      } catch (error) {
        if (!(error instanceof CallFailed)) throw error
        setState({ step: 'failed', file, error })
        return undefined
      }
    },
    [account_kid, user_kid, side, app_kid],
  )
  return { state, choose }
}

/** Sends a picture, which is small: it belongs to the moment. */
export async function sendPicture(file: File, owner: { account_kid: string; user_kid: string }): Promise<string> {
  return transfer({
    file,
    name: file.name,
    owner,
    area: 'app_center',
    is_remembered: false,
    onProgress: () => undefined,
    onWaiting: () => undefined,
  }).finished
}
