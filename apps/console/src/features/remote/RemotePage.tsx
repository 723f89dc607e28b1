import { Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { api, useCall } from '../../core/api.ts'
import { useMay } from '../../core/session.tsx'
import { AddressTabs } from '../../ui/AddressTabs.tsx'
import { Failure } from '../../ui/Failure.tsx'
import { Desktop } from './live/Desktop.tsx'
import { LogPart } from './live/Log.tsx'
import { Start } from './live/Start.tsx'
import type { How } from './live/Start.tsx'
import { TerminalPart } from './live/Terminal.tsx'
import type { Wanted } from './live/use-connection.ts'
import { useRemoteDevice } from './use-remote-device.ts'
import './remote.css'

/** Files have a page of their own among those of the device. */
const shown_here = ['desktop', 'terminal', 'log'] as const
export type ShownKind = (typeof shown_here)[number]

/** Screen, shell and log of a device, live. */
export default function RemotePage() {
  const { t } = useTranslation('remote')
  const [search] = useSearchParams()
  const kid = search.get('kid') ?? ''
  const permitted: Record<ShownKind, boolean> = {
    desktop: useMay('deviceDetailRemote'),
    terminal: useMay('deviceDetailRemote:terminal'),
    log: useMay('deviceDetailRemote:log'),
  }
  const kinds = shown_here.filter((kind) => permitted[kind])
  const kind = kinds.find((each) => each === search.get('tab')) ?? kinds[0]
  return (
    <div className="remote">
      {kinds.length > 1 && (
        <AddressTabs
          label={t('kinds')}
          keeps={['kid']}
          tabs={kinds.map((value) => ({ value, label: t(`kind.${value}`) }))}
        />
      )}
      {kind && <Part key={`${kid} ${kind}`} kind={kind} kid={kid} />}
    </div>
  )
}

function Part({ kind, kid }: { kind: ShownKind; kid: string }) {
  const device = useRemoteDevice(kid)
  const settings = useCall(api.terminalRemote.settings, {})
  const [asked, setAsked] = useState<{ wanted: Wanted; time: number } | null>(null)
  if (settings.error) return <Failure error={settings.error} retry={settings.refetch} />
  if (settings.isPending || device.is_pending) return <Skeleton active title={false} paragraph={{ rows: 6 }} />
  const open = (how: How) => setAsked({ wanted: { kind, terminal_kid: kid, ...how }, time: performance.now() })
  if (!asked) return <Start kind={kind} device={device} settings={settings.data} onOpen={open} />
  const { wanted } = asked
  const props = {
    device,
    wanted,
    onAgain: () => open({ view_only: wanted.view_only, asks_consent: wanted.asks_consent }),
    onBack: () => setAsked(null),
  }
  if (kind === 'desktop') return <Desktop key={asked.time} settings={settings.data} {...props} />
  return kind === 'terminal' ? <TerminalPart key={asked.time} {...props} /> : <LogPart key={asked.time} {...props} />
}
