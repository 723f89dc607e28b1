import {
  CameraOutlined,
  CompressOutlined,
  CopyOutlined,
  EditOutlined,
  EyeOutlined,
  FontSizeOutlined,
  FullscreenOutlined,
  HomeOutlined,
  MenuOutlined,
  MinusOutlined,
  PlusOutlined,
  PoweroffOutlined,
  RollbackOutlined,
  RotateRightOutlined,
  TeamOutlined,
  UploadOutlined,
} from '@ant-design/icons'
import { Button, Segmented } from 'antd'
import type { ReactNode, Ref } from 'react'
import { useTranslation } from 'react-i18next'
import type { TunnelNote } from '@mdm/contract/tunnel.ts'
import { useMay } from '../../../core/session.tsx'
import { DisabledReason } from '../../../ui/dialog/DisabledReason.tsx'
import type { ChosenLook } from './use-quality.ts'

export type Panel = 'clipboard' | 'text' | 'files' | 'people' | 'time'
type Key = Extract<TunnelNote, { key: unknown }>['key']

const keys = [
  ['home', <HomeOutlined key="home" aria-hidden />],
  ['back', <RollbackOutlined key="back" aria-hidden />],
  ['menu', <MenuOutlined key="menu" aria-hidden />],
  ['power', <PoweroffOutlined key="power" aria-hidden />],
  ['volume_down', <MinusOutlined key="down" aria-hidden />],
  ['volume_up', <PlusOutlined key="up" aria-hidden />],
] as const satisfies readonly (readonly [Key, ReactNode])[]

const has_touch = matchMedia('(any-pointer: coarse)')

type Props = {
  ref: Ref<HTMLDivElement>
  look: ChosenLook
  onLook: (look: ChosenLook) => void
  panel: Panel | null
  onPanel: (panel: Panel | null) => void
  /** Why nothing can be done on the device now. */
  disabled_reason: string | undefined
  /** Why text is not carried. */
  no_clipboard: string | undefined
  has_control: boolean
  viewers: number
  onNote: (note: TunnelNote) => void
  /** Who may only look turns the picture for themselves. */
  no_rotate: string | undefined
  onRotate: () => void
  /** On tablets, which show a keyboard only where somebody writes. */
  onKeyboard: () => void
  onShot: () => void
  onFullScreen: () => void
  onEnd: () => void
}

/** Everything that can be done with the screen, in one line. */
export function Toolbar({ ref, ...props }: Props) {
  const { t } = useTranslation('remote')
  const { look, onLook, panel, onPanel, disabled_reason, onNote } = props
  const may_files = useMay('deviceDetailFileManager:write')
  const sees_only = props.has_control ? undefined : t('why_not.no_control')
  const opens = (kind: Panel, icon: ReactNode, why?: string, text?: string) => (
    <Act
      label={t(`panel.${kind}`)}
      icon={icon}
      disabled_reason={why}
      is_on={panel === kind}
      onClick={() => onPanel(panel === kind ? null : kind)}
    >
      {text}
    </Act>
  )
  return (
    <div className="remote-tools" role="toolbar" aria-label={t('tools')} ref={ref} tabIndex={-1}>
      <Act
        label={t('view_only')}
        icon={<EyeOutlined aria-hidden />}
        disabled_reason={sees_only}
        is_on={look.view_only}
        onClick={() => onLook({ ...look, view_only: !look.view_only })}
      >
        {t('view_only')}
      </Act>
      <Act
        label={t('fit')}
        icon={<CompressOutlined aria-hidden />}
        is_on={look.is_fit}
        onClick={() => onLook({ ...look, is_fit: !look.is_fit })}
      >
        {t('fit')}
      </Act>
      <Segmented<ChosenLook['quality']>
        aria-label={t('quality.title')}
        title={t('quality.title')}
        value={look.quality}
        options={(['auto', 'low', 'medium', 'high'] as const).map((value) => ({ value, label: t(`quality.${value}`) }))}
        onChange={(quality) => onLook({ ...look, quality })}
      />
      <span className="remote-keys" role="group" aria-label={t('keys')}>
        {keys.map(([key, icon]) => (
          <Act
            key={key}
            label={t(`key.${key}`)}
            icon={icon}
            disabled_reason={disabled_reason}
            onClick={() => onNote({ key })}
          />
        ))}
        <Act
          label={t('rotate')}
          icon={<RotateRightOutlined aria-hidden />}
          disabled_reason={props.no_rotate}
          onClick={props.onRotate}
        />
        {has_touch.matches && (
          <Act
            label={t('keyboard')}
            icon={<EditOutlined aria-hidden />}
            disabled_reason={disabled_reason}
            onClick={props.onKeyboard}
          />
        )}
      </span>
      <span className="remote-keys">
        {opens('clipboard', <CopyOutlined aria-hidden />, props.no_clipboard)}
        {opens('text', <FontSizeOutlined aria-hidden />, disabled_reason)}
        {may_files && opens('files', <UploadOutlined aria-hidden />)}
        <Act label={t('shot')} icon={<CameraOutlined aria-hidden />} onClick={props.onShot} />
        <Act label={t('full_screen')} icon={<FullscreenOutlined aria-hidden />} onClick={props.onFullScreen} />
        {opens('people', <TeamOutlined aria-hidden />, undefined, String(props.viewers))}
      </span>
      <Button danger className="remote-end" onClick={props.onEnd}>
        {t('end')}
      </Button>
    </div>
  )
}

type ActProps = {
  label: string
  icon: ReactNode
  disabled_reason?: string | undefined
  is_on?: boolean
  onClick: () => void
  children?: ReactNode
}
function Act({ label, icon, disabled_reason, is_on, onClick, children }: ActProps) {
  return (
    <DisabledReason disabled_reason={disabled_reason}>
      <Button
        type="text"
        className={children === label ? 'remote-act is-named' : 'remote-act'}
        icon={icon}
        aria-label={children && children !== label ? `${label} (${String(children)})` : label}
        title={label}
        aria-pressed={is_on}
        data-on={is_on || undefined}
        disabled={disabled_reason !== undefined}
        onClick={onClick}
      >
        {children}
      </Button>
    </DisabledReason>
  )
}
