import { InboxOutlined } from '@ant-design/icons'
import { Button, Input, InputNumber } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { RemoteSession } from '@mdm/contract'
import { api, useWrite } from '../../../core/api.ts'
import { link } from '../../../core/links.ts'
import { notify } from '../../../core/notices.ts'
import { May } from '../../../core/session.tsx'
import { nameFault } from '../../../lib/file-names.ts'
import { sendToDevice, useDeviceUpload } from '../../../shared/device/device-upload.ts'
import { DisabledReason } from '../../../ui/dialog/DisabledReason.tsx'
import { FileButton } from '../../../ui/form/FileButton.tsx'
import { StateBadge } from '../../../ui/value/StateBadge.tsx'
import { Ago, DateTime, copyText } from '../../../ui/value/values.tsx'

type ClipboardProps = {
  text: string
  onText: (text: string) => void
  disabled_reason: string | undefined
  onPaste: (text: string) => void
}
/** What both clipboards hold, to be seen before it goes anywhere. */
export function ClipboardPanel({ text, onText, disabled_reason, onPaste }: ClipboardProps) {
  const { t } = useTranslation('remote')
  const take = () =>
    navigator.clipboard.readText().then(onText, () => notify.fail(new Error(t('clipboard.not_readable'))))
  const copy = () =>
    copyText(text).then(
      () => notify.ok(t('clipboard.copied')),
      () => notify.fail(new Error(t('clipboard.not_writable'))),
    )
  return (
    <>
      <p className="dim">{t('clipboard.hint')}</p>
      <Input.TextArea
        aria-label={t('clipboard.text')}
        value={text}
        rows={8}
        maxLength={100_000}
        onChange={(event) => onText(event.target.value)}
      />
      <div className="remote-panel-acts">
        <DisabledReason disabled_reason={disabled_reason}>
          <Button type="primary" disabled={disabled_reason !== undefined} onClick={() => onPaste(text)}>
            {t('clipboard.send')}
          </Button>
        </DisabledReason>
        <Button disabled={text === ''} onClick={() => void copy()}>
          {t('clipboard.copy')}
        </Button>
        {/* Absent on plain HTTP, which private deployments use. */}
        {'clipboard' in navigator && <Button onClick={() => void take()}>{t('clipboard.take')}</Button>}
      </div>
    </>
  )
}

const most_typed = 2_000
type TextProps = { disabled_reason: string | undefined; onType: (text: string) => Promise<void> }
/** Types a text into what has the focus on the device. */
export function TextPanel({ disabled_reason, onType }: TextProps) {
  const { t } = useTranslation('remote')
  const [text, setText] = useState('')
  const [is_typing, setTyping] = useState(false)
  const type = async () => {
    setTyping(true)
    await onType(text)
    setTyping(false)
    setText('')
  }
  return (
    <>
      <p className="dim">{t('typing.hint')}</p>
      <Input.TextArea
        aria-label={t('typing.text')}
        value={text}
        rows={6}
        maxLength={most_typed}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="remote-panel-acts">
        <DisabledReason disabled_reason={disabled_reason ?? (text === '' ? t('typing.nothing') : undefined)}>
          <Button
            type="primary"
            loading={is_typing}
            disabled={disabled_reason !== undefined}
            onClick={() => void type()}
          >
            {t('typing.type')}
          </Button>
        </DisabledReason>
      </div>
    </>
  )
}

const folder = '/'
/** Sends files to the device one after another, as its file manager does. */
export function useFilesToDevice(terminal_kid: string): {
  send: (files: readonly File[]) => void
  disabled_reason?: string
} {
  const { t } = useTranslation(['remote', 'device-detail/files'])
  const is_busy = useDeviceUpload((s) => s.running !== null)
  const busy = t('device-detail/files:upload_busy')
  const send = async (files: readonly File[]) => {
    const to = link.deviceDetailFileManager.to({ kid: terminal_kid, path: folder })
    for (const file of files) {
      const name = file.name.normalize('NFC').trim()
      const fault = nameFault(name)
      if (fault) notify.fail(new Error(t(`device-detail/files:fault.${fault}`, { max: 255 })))
      else if (useDeviceUpload.getState().running) notify.fail(new Error(busy))
      else {
        notify.info(t('remote:files.begun', { name }))
        await sendToDevice({ file, name, path: folder, terminal_kid, to })
      }
    }
  }
  return { send: (files) => void send(files), ...(is_busy && { disabled_reason: busy }) }
}

export function FilesPanel({ terminal_kid }: { terminal_kid: string }) {
  const { t } = useTranslation('remote')
  const { send, disabled_reason } = useFilesToDevice(terminal_kid)
  return (
    <>
      <p className="dim">{t('files.hint', { folder })}</p>
      <FileButton
        label={t('files.choose')}
        icon={<InboxOutlined aria-hidden />}
        look="block"
        disabled_reason={disabled_reason}
        onChoose={(file) => send([file])}
      />
    </>
  )
}

type PeopleProps = { session: RemoteSession; viewer_kid: string | null }
/** Who looks, and who has the keyboard. */
export function PeoplePanel({ session, viewer_kid }: PeopleProps) {
  const { t } = useTranslation('remote')
  const control = useWrite(api.terminalRemote.control)
  const give = (kid: string | null) => void control.run({ session_kid: session.kid, viewer_kid: kid })
  const here = session.viewers.filter(({ left_at }) => left_at === null)
  const own = here.find(({ kid }) => kid === viewer_kid)
  return (
    <>
      <ul className="remote-people">
        {here.map((viewer) => (
          <li key={viewer.kid}>
            <span>
              <bdi>{viewer.username}</bdi>
              {viewer.kid === viewer_kid && <span className="dim"> {t('people.you')}</span>}
              <span className="dim remote-since">
                <Ago at={viewer.joined_at} />
              </span>
            </span>
            {viewer.has_control ? (
              <StateBadge tone="accent">{t('people.controls')}</StateBadge>
            ) : (
              <May needs="deviceDetailRemote:control">
                {(viewer.kid === viewer_kid || own?.has_control) && (
                  <Button size="small" loading={control.isPending} onClick={() => give(viewer.kid)}>
                    {viewer.kid === viewer_kid ? t('people.take') : t('people.hand_over')}
                  </Button>
                )}
              </May>
            )}
          </li>
        ))}
      </ul>
      {own?.has_control && (
        <May needs="deviceDetailRemote:control">
          <Button loading={control.isPending} onClick={() => give(null)}>
            {t('people.give_up')}
          </Button>
        </May>
      )}
    </>
  )
}

const most_steps = 12
/** More time for a session that a policy entitles to. */
export function TimePanel({ session }: { session: RemoteSession }) {
  const { t } = useTranslation('remote')
  const [step, setStep] = useState(1)
  const renew = useWrite(api.terminalRemote.renewal, { done: t('time.renewed') })
  const clear = useWrite(api.terminalRemote.clear_renewal, { done: t('time.cleared') })
  const { terminal_policy_kid } = session
  if (!terminal_policy_kid) return <p className="dim">{t('time.not_renewable')}</p>
  return (
    <>
      <p>
        {t('time.ends_at')} <DateTime at={session.ends_at} />
      </p>
      <p className="dim">{t('time.hint')}</p>
      <div className="remote-panel-acts">
        <InputNumber
          aria-label={t('time.steps')}
          min={1}
          max={most_steps}
          precision={0}
          value={step}
          suffix={t('time.periods')}
          onChange={(value) => setStep(value ?? 1)}
        />
        <Button type="primary" loading={renew.isPending} onClick={() => void renew.run({ terminal_policy_kid, step })}>
          {t('time.renew')}
        </Button>
      </div>
      {session.renewals > 0 && (
        <Button loading={clear.isPending} onClick={() => void clear.run({ terminal_policy_kid })}>
          {t('time.clear', { count: session.renewals })}
        </Button>
      )}
    </>
  )
}
