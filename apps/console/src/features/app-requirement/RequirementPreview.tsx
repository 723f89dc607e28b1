import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { PushPreview } from '@mdm/contract'
import { api, send } from '../../core/api.ts'
import type { CallFailed } from '../../core/call-failed.ts'
import { Failure } from '../../ui/Failure.tsx'
import { CheckedLine, pollPreview } from '../push-task/public.ts'

type Props = { app_kid: string | undefined; group: string; version_kid: string | null }
type Found = { of: string; preview?: PushPreview; error?: CallFailed }
/** Somebody who goes through the groups has only the last of them looked at. */
const settle_ms = 500

/** How many devices would get the app now, and why others would not: the preview of the push that the rule makes. */
export function RequirementPreview({ app_kid, group, version_kid }: Props) {
  const { t } = useTranslation('app-requirement')
  const [found, setFound] = useState<Found>()
  const of = app_kid === undefined ? undefined : JSON.stringify([app_kid, group, version_kid])
  useEffect(() => {
    if (app_kid === undefined || of === undefined) return undefined
    let is_wanted = true
    const tell = (said: Omit<Found, 'of'>) => is_wanted && setFound({ of, ...said })
    const look = async () => {
      const apps = [{ app_kid, ...(version_kid !== null && { version_kid }) }]
      const asked = { type: 'app_install', payload: { apps }, terminal_group_kid: group } as const
      const begun = await send(api.pushTask.preview, asked)
      return pollPreview(
        begun,
        () => undefined,
        () => is_wanted,
      )
    }
    const timer = setTimeout(() => {
      look().then(
        (preview) => tell({ preview }),
        (error: CallFailed) => tell({ error }),
      )
    }, settle_ms)
    return () => {
      is_wanted = false
      clearTimeout(timer)
    }
  }, [app_kid, group, version_kid, of])
  if (of === undefined) return <p className="dim">{t('preview.first')}</p>
  if (found?.of !== of)
    return (
      <p className="dim" role="status">
        {t('preview.looking')}
      </p>
    )
  if (found.error) return <Failure error={found.error} is_line />
  return found.preview ? <CheckedLine checked={found.preview} /> : null
}
