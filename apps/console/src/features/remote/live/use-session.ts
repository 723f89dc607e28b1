import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { api, useCall, useWrite } from '../../../core/api.ts'
import { useQuestion } from '../../../ui/dialog/question.ts'
import type { Connection, RemoteConnection } from './connection.ts'
import { isOver } from './status.ts'
import { useConnection } from './use-connection.ts'
import type { Wanted } from './use-connection.ts'

type Session = { connection: RemoteConnection; now: Connection; end: () => void }

/** A connection with what the server tells of its session besides: who looks, and until when. Ends it for everybody, too. */
export function useSession(wanted: Wanted, is_online: boolean | undefined): Session {
  const { t } = useTranslation('remote')
  const [connection, now] = useConnection(wanted)
  const session_kid = now.session?.kid
  const { data } = useCall(
    api.terminalRemote.get,
    { session_kid: session_kid ?? '' },
    { enabled: session_kid !== undefined && !isOver(now.status) },
  )
  useEffect(() => {
    if (data) connection.putSession(data)
  }, [connection, data])
  useEffect(() => {
    if (is_online) connection.retryNow()
  }, [connection, is_online])
  const write = useWrite(api.terminalRemote.end)
  const end = async () => {
    if (session_kid === undefined) return connection.leave()
    if (now.viewers > 1) {
      // What asks stands outside of the part that fills the screen.
      if (document.fullscreenElement) await document.exitFullscreen()
      const is_sure = await useQuestion.getState().ask({
        title: t('end_title'),
        text: t('end_text', { count: now.viewers - 1 }),
        yes: t('end'),
        no: t('end_no'),
        is_danger: true,
      })
      if (!is_sure) return
    }
    if (await write.run({ kids: [session_kid] })) connection.leave()
  }
  return { connection, now, end: () => void end() }
}
