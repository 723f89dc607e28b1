import { Button, Skeleton } from 'antd'
import { lazy, Suspense, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { RemoteDevice } from '../use-remote-device.ts'
import { Frame } from './Frame.tsx'
import { Refusal } from './Refusal.tsx'
import { StatusLine } from './StatusLine.tsx'
import { isOver } from './status.ts'
import { TimeLeft } from './TimeLeft.tsx'
import type { Wanted } from './use-connection.ts'
import { useSession } from './use-session.ts'

const TerminalScreen = lazy(() => import('./TerminalScreen.tsx'))

type Props = { device: RemoteDevice; wanted: Wanted; onAgain: () => void; onBack: () => void }

export function TerminalPart({ device, wanted, onAgain, onBack }: Props) {
  const { t } = useTranslation('remote')
  const { now, end } = useSession(wanted, device.is_online)
  const tools = useRef<HTMLDivElement>(null)
  if (isOver(now.status)) return <Refusal status={now.status} onAgain={onAgain} onBack={onBack} />
  return (
    <Frame>
      <div className="remote-tools" role="toolbar" aria-label={t('tools')} ref={tools} tabIndex={-1}>
        <span className="remote-recorded">
          <i aria-hidden /> {t('terminal.recorded')}
        </span>
        <span className="dim">{t('keyboard_leaves')}</span>
        <Button danger className="remote-end" onClick={end}>
          {t('end')}
        </Button>
      </div>
      <StatusLine status={now.status} name={device.name} has_pictures={false}>
        <span className="remote-status-end">
          <TimeLeft ends_at={now.ends_at} can_renew={false} />
        </span>
      </StatusLine>
      <div className="remote-stage is-terminal" data-old={now.status.name !== 'connected' || undefined}>
        <Suspense fallback={<Skeleton.Node active className="remote-loading" />}>
          <TerminalScreen
            label={t('terminal.of', { name: device.name })}
            channel={now.channel}
            onLeave={() => tools.current?.focus()}
          />
        </Suspense>
      </div>
    </Frame>
  )
}
