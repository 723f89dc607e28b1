import { CloseOutlined, HourglassOutlined, UploadOutlined } from '@ant-design/icons'
import { Button, Skeleton } from 'antd'
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { RemoteSession, RemoteSettings } from '@mdm/contract'
import { notify } from '../../../core/notices.ts'
import { saveBlob } from '../../../core/save-blob.ts'
import { useMay, useZone } from '../../../core/session.tsx'
import { captureName } from '../../../shared/device/capture-name.ts'
import { useFileDrop } from '../../../shared/upload/file-drop.ts'
import type { RemoteDevice } from '../use-remote-device.ts'
import { ClipboardPanel, FilesPanel, PeoplePanel, TextPanel, TimePanel, useFilesToDevice } from './panels.tsx'
import { Frame } from './Frame.tsx'
import { Refusal } from './Refusal.tsx'
import { LinkLine } from './LinkLine.tsx'
import type { ScreenHandle } from './Screen.tsx'
import { StatusLine } from './StatusLine.tsx'
import { isOver } from './status.ts'
import { TimeLeft } from './TimeLeft.tsx'
import { Toolbar } from './Toolbar.tsx'
import type { Panel } from './Toolbar.tsx'
import type { Wanted } from './use-connection.ts'
import { useQuality } from './use-quality.ts'
import type { ChosenLook } from './use-quality.ts'
import { useSession } from './use-session.ts'

const Screen = lazy(() => import('./Screen.tsx'))

type Props = { device: RemoteDevice; wanted: Wanted; settings: RemoteSettings; onAgain: () => void; onBack: () => void }

/** The screen of a device, with everything that can be done on it. */
export function Desktop({ device, wanted, settings, onAgain, onBack }: Props) {
  const { t } = useTranslation('remote')
  const zone = useZone()
  const { connection, now, end } = useSession(wanted, device.is_online)
  const { status, channel, session } = now
  const may_control = useMay('deviceDetailRemote:control')
  const [chosen, setChosen] = useState<ChosenLook>({ is_fit: true, quality: 'auto', view_only: wanted.view_only })
  const [panel, setPanel] = useState<Panel | null>(null)
  const [clip, setClip] = useState('')
  const [has_keyboard, setKeyboard] = useState(false)
  const screen = useRef<ScreenHandle>(null)
  const frame = useRef<HTMLDivElement>(null)
  const tools = useRef<HTMLDivElement>(null)
  const { send } = useFilesToDevice(device.kid)
  const drop = useFileDrop(
    { onFiles: send, onFolders: () => notify.fail(new Error(t('files.no_folders'))) },
    useMay('deviceDetailFileManager:write'),
  )
  const { meter, link, quality } = useQuality(chosen)
  const look = { ...chosen, view_only: chosen.view_only || !now.has_control }
  const shown_look = useMemo(
    () => ({ is_fit: look.is_fit, view_only: look.view_only, quality }),
    [look.is_fit, look.view_only, quality],
  )
  const is_there = status.name === 'connected' || status.name === 'stale'
  const disabled_reason = !is_there
    ? t('why_not.not_connected')
    : !now.has_control
      ? t(may_control ? 'why_not.no_control' : 'why_not.may_not_control')
      : look.view_only
        ? t('why_not.view_only')
        : undefined
  const no_clipboard = settings.clipboard ? undefined : t('why_not.clipboard_off')

  useClipboardOfBrowser(screen, has_keyboard && disabled_reason === undefined && no_clipboard === undefined)
  const received = (text: string) => {
    if (no_clipboard !== undefined) return
    setClip(text)
    // Refused where the browser does not permit it; the panel has it in any case.
    if (document.hasFocus() && 'clipboard' in navigator) void navigator.clipboard.writeText(text).catch(() => undefined)
  }
  const shoot = async () => {
    const blob = await screen.current?.toBlob()
    if (blob) saveBlob(captureName({ sn: device.sn, state_at: new Date().toISOString() }, zone), blob)
    else notify.fail(new Error(t('shot_none')))
  }
  const closePanel = () => {
    setPanel(null)
    tools.current?.focus()
  }
  const fill = () => {
    if (document.fullscreenElement) void document.exitFullscreen()
    else void frame.current?.requestFullscreen().then(() => screen.current?.focus())
  }
  if (isOver(status)) return <Refusal status={status} onAgain={onAgain} onBack={onBack} />
  return (
    <Frame ref={frame}>
      <Toolbar
        ref={tools}
        look={look}
        onLook={(next) => setChosen({ ...next, view_only: now.has_control ? next.view_only : chosen.view_only })}
        panel={panel}
        onPanel={setPanel}
        disabled_reason={disabled_reason}
        no_clipboard={no_clipboard}
        has_control={now.has_control}
        viewers={now.viewers}
        onNote={(note) => channel?.note(note)}
        no_rotate={is_there ? undefined : t('why_not.not_connected')}
        onRotate={() => screen.current?.rotate()}
        onKeyboard={() => screen.current?.showKeyboard()}
        onShot={() => void shoot()}
        onFullScreen={fill}
        onEnd={end}
      />
      <StatusLine status={status} name={device.name} has_pictures>
        {is_there && <LinkLine link={link} quality={quality} />}
        {has_keyboard && disabled_reason === undefined && <span className="dim">{t('keyboard_leaves')}</span>}
        <span className="remote-status-end">
          <TimeLeft ends_at={now.ends_at} can_renew={session?.terminal_policy_kid !== null} />
          {session?.terminal_policy_kid && (
            <Button
              size="small"
              icon={<HourglassOutlined aria-hidden />}
              aria-pressed={panel === 'time'}
              onClick={() => setPanel(panel === 'time' ? null : 'time')}
            >
              {t('time.renew')}
            </Button>
          )}
        </span>
      </StatusLine>
      <div className="remote-body">
        <div
          className="remote-stage"
          data-old={!is_there || status.name === 'stale' || undefined}
          data-fit={look.is_fit || undefined}
          onFocusCapture={() => setKeyboard(true)}
          onBlurCapture={() => setKeyboard(false)}
          {...drop.handlers}
        >
          <Suspense fallback={<Skeleton.Node active className="remote-loading" />}>
            <Screen
              ref={screen}
              name={device.name}
              connection={connection}
              channel={channel}
              look={shown_look}
              meter={meter}
              onClipboard={received}
              onLeave={() => tools.current?.focus()}
            />
          </Suspense>
          {drop.is_over && (
            <div className="files-drop" role="status">
              <UploadOutlined aria-hidden />
              {t('files.drop', { name: device.name })}
            </div>
          )}
        </div>
        {panel && (
          <SidePanel title={t(`panel.${panel}`)} onClose={closePanel}>
            {panel === 'clipboard' && (
              <ClipboardPanel
                text={clip}
                onText={setClip}
                disabled_reason={disabled_reason}
                onPaste={(text) => {
                  screen.current?.paste(text)
                  notify.ok(t('clipboard.sent'))
                }}
              />
            )}
            {panel === 'text' && (
              <TextPanel disabled_reason={disabled_reason} onType={async (text) => screen.current?.type(text)} />
            )}
            {panel === 'files' && <FilesPanel terminal_kid={device.kid} />}
            {session && <SessionPanel panel={panel} session={session} viewer_kid={now.viewer_kid} />}
          </SidePanel>
        )}
      </div>
    </Frame>
  )
}

function SessionPanel({
  panel,
  session,
  viewer_kid,
}: {
  panel: Panel
  session: RemoteSession
  viewer_kid: string | null
}) {
  if (panel === 'people') return <PeoplePanel session={session} viewer_kid={viewer_kid} />
  return panel === 'time' ? <TimePanel session={session} /> : null
}

function SidePanel({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const { t } = useTranslation('common')
  return (
    <aside className="remote-panel" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <Button
          type="text"
          size="small"
          icon={<CloseOutlined aria-hidden />}
          aria-label={t('close')}
          onClick={onClose}
        />
      </header>
      {children}
    </aside>
  )
}

/** What was copied on this computer goes along when the keyboard goes to the device, where the browser permits that unasked. */
function useClipboardOfBrowser(screen: React.RefObject<ScreenHandle | null>, is_on: boolean): void {
  const last = useRef('')
  useEffect(() => {
    if (!is_on || !('clipboard' in navigator)) return
    const send = async () => {
      const permission = await navigator.permissions.query({ name: 'clipboard-read' as PermissionName })
      if (permission.state !== 'granted') return
      const text = await navigator.clipboard.readText()
      if (text === '' || text === last.current) return
      last.current = text
      screen.current?.paste(text)
    }
    // Not every browser knows of such a permission; then the panel is the way.
    void send().catch(() => undefined)
  }, [screen, is_on])
}
