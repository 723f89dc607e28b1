import { Checkbox, Input } from 'antd'
import { useTranslation } from 'react-i18next'
import { inabilities } from '@mdm/contract'
import type { LostState, TerminalDetail } from '@mdm/contract'
import { api, useCall, useWrite } from '../../../core/api.ts'
import { useSession } from '../../../core/session.tsx'
import { useTextOf } from '../../../i18n/use-text-of.ts'
import { ConfirmWrite } from '../../../ui/dialog/ConfirmWrite.tsx'
import { Field, FormDrawer } from '../../../ui/form/form.tsx'

type Props = { device: TerminalDetail; onClose: () => void }
/** What changes with it, beside the device itself. */
const also = ['terminal', 'push_task', 'terminal_config']
type Values = { message: string; phone: string; rings: boolean }
const input = api.terminalLost.start.input

/** Locks a device behind a message, lets it ring and say where it is; of a lost one the text is changed. */
export function LostDrawer({ device, onClose }: Props) {
  const state = useCall(api.terminalLost.get, { terminal_kid: device.kid }, { fresh: true }).data
  return state ? <LostForm device={device} state={state} onClose={onClose} /> : null
}

function LostForm({ device, state, onClose }: Props & { state: LostState }) {
  const { t } = useTranslation('device-detail')
  const textOf = useTextOf()
  const { account_name } = useSession()
  const lost = state.lost?.found_at === null ? state.lost : undefined
  const write = useWrite(api.terminalLost.start, { done: t(lost ? 'lost.saved' : 'lost.started'), also })
  const { ring, screen } = state.can
  return (
    <FormDrawer<Values>
      title={t(lost ? 'lost.edit_title' : 'lost.start_title', { device: device.name || device.sn })}
      submit={t(lost ? 'lost.save' : 'lost.start')}
      initial={{
        message: lost?.message ?? t('lost.usual_message', { account: account_name }),
        phone: state.lost?.phone ?? '',
        rings: ring === null && !lost,
      }}
      loading={write.isPending}
      submitError={write.error}
      onSubmit={(values) => write.mutateAsync({ terminal_kid: device.kid, ...values })}
      onDone={onClose}
      onClose={onClose}
    >
      <p className="lost-what">{t(`lost.what.${state.screen.how}`)}</p>
      {screen && <p className="dim">{textOf(inabilities[screen])}</p>}
      {!device.is_online && <p className="dim">{t('lost.offline')}</p>}
      <Field name="message" label={t('lost.message')} schema={input}>
        <Input.TextArea autoFocus rows={3} />
      </Field>
      <Field name="phone" label={t('lost.phone')} extra={t('lost.phone_hint')} schema={input}>
        <Input type="tel" autoComplete="off" />
      </Field>
      <Field name="rings" valuePropName="checked" extra={ring && textOf(inabilities[ring])}>
        <Checkbox disabled={ring !== null}>{t('lost.rings')}</Checkbox>
      </Field>
      <p className="dim">{t('lost.location')}</p>
    </FormDrawer>
  )
}

/** It waits for the device as any push does, for as long as pushes may. */
export function WipeDialog({ device, onClose }: Props) {
  const { t } = useTranslation('device-detail')
  return (
    <ConfirmWrite
      call={api.terminalLost.wipe}
      input={{ terminal_kid: device.kid }}
      also={also}
      done={t('lost.wipe_asked')}
      title={t('lost.wipe_title', { device: device.name || device.sn })}
      submit={t('lost.wipe')}
      word="DELETE"
      onClose={onClose}
    >
      <p>{t('lost.wipe_what')}</p>
    </ConfirmWrite>
  )
}

export function FoundDialog({ device, onClose }: Props) {
  const { t } = useTranslation('device-detail')
  return (
    <ConfirmWrite
      call={api.terminalLost.found}
      input={{ terminal_kid: device.kid }}
      also={also}
      done={t('lost.found_done')}
      title={t('lost.found_title', { device: device.name || device.sn })}
      submit={t('lost.found')}
      onClose={onClose}
    >
      <p>{t('lost.found_what')}</p>
    </ConfirmWrite>
  )
}
